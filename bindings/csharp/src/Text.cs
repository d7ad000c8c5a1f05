using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Gputide {
    /// <summary>A text for the library: a string, or bytes in UTF-8 as a file has them.</summary>
    public struct Text {
        private readonly byte[] bytes;

        private Text(byte[] bytes) {
            this.bytes = bytes;
        }

        /// <summary>Encodes a string.  A lone surrogate is an ArgumentException.</summary>
        public static implicit operator Text(string text) {
            return new Text(text == null ? null : Texts.Encoded(text));
        }

        /// <summary>Takes bytes in UTF-8.</summary>
        public static implicit operator Text(byte[] text) {
            return new Text(text);
        }

        internal bool IsGiven {
            get { return bytes != null; }
        }

        internal byte[] Bytes {
            get { return bytes ?? Texts.Empty; }
        }

        internal long Size {
            get { return Bytes.LongLength; }
        }
    }

    internal static unsafe class Texts {
        internal static readonly byte[] Empty = new byte[0];
        private static readonly UTF8Encoding Strict = new UTF8Encoding(false, true);

        internal static byte[] Encoded(string text) {
            return Strict.GetBytes(text);
        }

        /// <summary>Encodes for a C function that stops at a NUL: one inside would cut the text.  Null for null.</summary>
        internal static byte[] Terminated(string text, string what) {
            if (text == null) return null;
            if (text.IndexOf('\0') >= 0) throw new ArgumentException(what + " holds a NUL character");
            return Strict.GetBytes(text + "\0");
        }

        /// <summary>Joins a list, which C has as one text with commas.</summary>
        internal static byte[] Joined(string[] names, string what) {
            if (names == null || names.Length == 0) return null;
            foreach (string name in names) {
                if (name.IndexOf(',') >= 0) throw new ArgumentException(what + ": a comma in \"" + name + "\"");
            }
            return Terminated(string.Join(",", names), what);
        }

        internal static string Decoded(byte* data, long size) {
            return size == 0 ? "" : Encoding.UTF8.GetString(Copied(data, size));
        }

        private static byte[] Copied(byte* data, long size) {
            var bytes = new byte[size];
            Marshal.Copy((IntPtr) data, bytes, 0, bytes.Length);
            return bytes;
        }

        /// <summary>Decodes a char array of C, up to its NUL.</summary>
        internal static string Decoded(byte* data) {
            long size = 0;
            while (data[size] != 0) size++;
            return Decoded(data, size);
        }

        /// <summary>Decodes a text that the library keeps; null for NULL.</summary>
        internal static string Static(IntPtr text) {
            return text == IntPtr.Zero ? null : Decoded((byte*) text);
        }
    }
}
