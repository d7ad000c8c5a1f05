using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace Gputide {
    /// <summary>A line of the library's log.</summary>
    public sealed class LogLine {
        internal LogLine(LogLevel level, string text) {
            Level = level;
            Text = text;
        }

        /// <summary>The level.</summary>
        public LogLevel Level { get; }

        /// <summary>The line.</summary>
        public string Text { get; }
    }

    /// <summary>Reads the log of the whole process from its opening on; it buffers up to 256 lines and drops the oldest on
    /// overflow.</summary>
    public sealed unsafe class LogReader : Handle {
        private readonly LogReaderHandle reader;

        private LogReader(LogReaderHandle reader) : base(true, reader) {
            this.reader = reader;
        }

        /// <summary>Opens a reader of lines of this level and more severe ones.</summary>
        public static LogReader Open(LogLevel level = LogLevel.Info) {
            using (CallMemory memory = CallMemory.Take()) {
                LogReaderHandle made;
                memory.Check(Native.log_open((int) level, out made, memory.Error));
                return new LogReader(made);
            }
        }

        /// <summary>Writes each line to a function, in a thread of its own, until the returned reader is disposed.  An exception of the
        /// function is reported by Trace, and the next line follows.</summary>
        public static LogReader Forward(Action<LogLine> write, LogLevel level = LogLevel.Info) {
            LogReader reader = Open(level);
            new Thread(() => {
                foreach (LogLine line in reader.Lines()) Write(write, line);
            }) { IsBackground = true, Name = "gputide-log" }.Start();
            return reader;
        }

        private static void Write(Action<LogLine> write, LogLine line) {
            try {
                write(line);
            } catch (Exception problem) { // unhandled in this thread, it would end the process
                Trace.TraceError("gputide: the function given to LogReader.Forward failed: {0}", problem);
            }
        }

        /// <summary>Returns the next line; null if none came in time.  A timeout of 0 does not wait.</summary>
        public LogLine Next(TimeSpan? timeout = null, CancellationToken cancel = default(CancellationToken)) {
            return Reading().Here(timeout, cancel);
        }

        /// <summary>As Next, in a thread of its own.</summary>
        public Task<LogLine> NextAsync(TimeSpan? timeout = null, CancellationToken cancel = default(CancellationToken)) {
            return Reading().Async(timeout, cancel);
        }

        /// <summary>Returns the lines until the reader is disposed.</summary>
        public IEnumerable<LogLine> Lines() {
            for (LogLine line = NextOrEnd(); line != null; line = NextOrEnd()) yield return line;
        }

        private LogLine NextOrEnd() {
            try {
                return Reading().Here((int) Abi.FOREVER, default(CancellationToken));
            } catch (Exception ended) when (ended is GputideException.Cancelled || ended is ObjectDisposedException) {
                return null;
            }
        }

        private Wait<LogLine> Reading() {
            return new Wait<LogLine>((memory, cancel, leftMs) => {
                int level;
                int status = Native.log_next(reader, leftMs, cancel, memory.Text, &level, memory.Error);
                if (status == (int) Status.NoData) return null;
                memory.Check(status);
                return new LogLine((LogLevel) level, memory.TakeText());
            }, this);
        }
    }
}
