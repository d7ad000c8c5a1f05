using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Gputide {
    internal unsafe delegate int Fails(gputide_error* error);

    internal unsafe delegate int Gives(gputide_text* text, gputide_error* error);

    /// <summary>The native memory that a call borrows: its error, two text outputs, its structs.  Each thread keeps one.</summary>
    internal sealed unsafe class CallMemory : IDisposable {
        [ThreadStatic] private static CallMemory kept;
        private readonly List<IntPtr> blocks = new List<IntPtr>();
        internal readonly gputide_error* Error;
        internal readonly gputide_text* Text;
        internal readonly gputide_text* SecondText;

        private CallMemory() {
            Error = (gputide_error*) Marshal.AllocHGlobal(sizeof(gputide_error) + 2 * sizeof(gputide_text));
            *Error = default(gputide_error);
            Error->struct_size = (uint) sizeof(gputide_error);
            Text = (gputide_text*) (Error + 1);
            SecondText = Text + 1;
            *Text = *SecondText = default(gputide_text);
        }

        ~CallMemory() {
            Marshal.FreeHGlobal((IntPtr) Error);
        }

        internal static CallMemory Take() {
            CallMemory memory = kept ?? new CallMemory();
            kept = null; // a call inside of a call takes another one
            return memory;
        }

        /// <summary>Returns the memory, and frees texts that a failed call left.</summary>
        public void Dispose() {
            foreach (IntPtr block in blocks) Marshal.FreeHGlobal(block);
            blocks.Clear();
            if (Text->data != IntPtr.Zero) Native.text_free(Text);
            if (SecondText->data != IntPtr.Zero) Native.text_free(SecondText);
            kept = this;
        }

        internal void Check(int status) {
            if (status != (int) Status.Ok) throw GputideException.Of(Error);
        }

        internal string TakeText() {
            return Taken(Text);
        }

        internal string TakeSecondText() {
            return Taken(SecondText);
        }

        private static string Taken(gputide_text* text) {
            string taken = text->data == IntPtr.Zero ? "" : Texts.Decoded((byte*) text->data, (long) text->size_bytes);
            Native.text_free(text);
            *text = default(gputide_text);
            return taken;
        }

        /// <summary>Allocates bytes of 0.</summary>
        internal byte* Bytes(long size) {
            IntPtr block = Marshal.AllocHGlobal((IntPtr) size);
            blocks.Add(block);
            byte* bytes = (byte*) block;
            for (long index = 0; index < size; index++) bytes[index] = 0;
            return bytes;
        }

        /// <summary>Copies bytes; NULL for null.</summary>
        internal IntPtr Copy(byte[] bytes) {
            if (bytes == null) return IntPtr.Zero;
            byte* copy = Bytes(Math.Max(1, bytes.LongLength));
            Marshal.Copy(bytes, 0, (IntPtr) copy, bytes.Length);
            return (IntPtr) copy;
        }

        internal gputide_decision* Decision() {
            var raw = (gputide_decision*) Bytes(sizeof(gputide_decision));
            raw->struct_size = (uint) sizeof(gputide_decision);
            return raw;
        }

        /// <summary>Copies a decision for a record to update, with the reason of a failed write.</summary>
        internal gputide_decision* Decision(Decision given, string message) {
            gputide_decision* raw = Decision();
            *raw = given.Raw;
            raw->message = Copy(Texts.Terminated(message, "a record's message"));
            return raw;
        }

        /// <summary>Makes a call that returns its first text.</summary>
        internal static string TextOf(Gives call) {
            using (CallMemory memory = Take()) {
                memory.Check(call(memory.Text, memory.Error));
                return memory.TakeText();
            }
        }
    }
}
