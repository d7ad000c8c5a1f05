using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Gputide {
    /// <summary>The opened libgputide-full.so.1: one file for the whole process, found at the first use.</summary>
    public static unsafe class Library {
        /// <summary>The ABI that this package is made for.</summary>
        public const int AbiVersion = (int) Abi.ABI_VERSION;
        private static readonly string Soname = "libgputide-full.so." + Abi.ABI_VERSION;
        private static readonly object Gate = new object();
        private static IntPtr handle;
        private static string path;

        /// <summary>Opens this file and no other, before anything else of this package.</summary>
        /// <exception cref="DllNotFoundException">The file is not usable, or another one is open already.</exception>
        public static void Load(string file) {
            string wanted = System.IO.Path.GetFullPath(file);
            lock (Gate) {
                if (handle == IntPtr.Zero) {
                    Open(wanted);
                } else if (wanted != path && RealPath(wanted) != RealPath(path)) {
                    throw new DllNotFoundException("gputide: " + path + " is open already, " + wanted + " cannot take its place");
                }
            }
        }

        /// <summary>The file that the C functions come from.</summary>
        public static string Path {
            get { return Opened() == IntPtr.Zero ? null : path; }
        }

        /// <summary>The library's release, such as "0.3.0".</summary>
        public static string Version {
            get { return Texts.Static(Native.version()); }
        }

        /// <summary>The components inside the library, such as "plan", "yaml".</summary>
        public static IReadOnlyCollection<string> Features {
            get {
                uint bits = Native.features();
                var names = new List<string>();
                foreach (var feature in FeatureNames) {
                    if ((bits & feature.Key) != 0) names.Add(feature.Value);
                }
                return names;
            }
        }

        private static readonly Dictionary<uint, string> FeatureNames = new Dictionary<uint, string> {
            { Abi.FEATURE_PURE, "pure" }, { Abi.FEATURE_CORE, "core" }, { Abi.FEATURE_PLAN, "plan" },
            { Abi.FEATURE_KUBERNETES, "kubernetes" }, { Abi.FEATURE_YAML, "yaml" }, { Abi.FEATURE_HTTP2, "http2" },
            { Abi.FEATURE_CRON, "cron" },
        };

        /// <summary>Returns versions of the parts inside the library, as JSON.</summary>
        public static string BuildInfo() {
            return Texts.Static(Native.build_info());
        }

        /// <summary>The number of C handles that this process holds.</summary>
        public static long Alive {
            get { return NativeHandle.Alive; }
        }

        /// <summary>Returns a Kubernetes quantity ("1500m", "2Ki", "0.1") in thousandths, rounded away from zero as Kubernetes
        /// does.</summary>
        public static long Quantity(Text text) {
            using (var memory = CallMemory.Take()) {
                long milli;
                memory.Check(Native.quantity(text.Bytes, text.Size, &milli, memory.Error));
                return milli;
            }
        }

        /// <summary>Makes the delegate of a C function.</summary>
        internal static T Function<T>(string name, ref T made) where T : class {
            IntPtr address = Linker.dlsym(Opened(), Texts.Terminated(name, "name"));
            if (address == IntPtr.Zero) throw new EntryPointNotFoundException(name);
            made = (T) (object) Marshal.GetDelegateForFunctionPointer(address, typeof(T));
            return made;
        }

        private static IntPtr Opened() {
            if (handle == IntPtr.Zero) {
                lock (Gate) {
                    if (handle == IntPtr.Zero) Open(null);
                }
            }
            return handle;
        }

        /// <summary>A path of code or environment is final; a bundled file gives way to the system's only if it is
        /// absent.</summary>
        private static void Open(string wanted) {
            string named = Environment.GetEnvironmentVariable("GPUTIDE_LIBRARY");
            string problem = "";
            if (wanted != null) {
                problem = Tried(wanted, wanted);
            } else if (!string.IsNullOrEmpty(named)) {
                problem = Tried("GPUTIDE_LIBRARY=" + named, System.IO.Path.GetFullPath(named));
            } else {
                string bundled = Bundled();
                problem = Tried(bundled, bundled);
                if (problem != null && !File.Exists(bundled)) {
                    string next = Tried(Soname + " (the system's search)", Soname);
                    problem = next == null ? null : problem + next;
                }
            }
            if (problem != null) {
                throw new DllNotFoundException("gputide: no usable " + Soname + " for ABI " + AbiVersion + ", release " + Oldest
                    + ".0 or newer. Tried:\n" + problem + "Install Debian's libgputide-full" + AbiVersion
                    + ", or set GPUTIDE_LIBRARY to the library's full path.");
            }
        }

        private static string Oldest {
            get { return Abi.VERSION_MAJOR + "." + Abi.VERSION_MINOR; }
        }

        /// <summary>Returns the file beside this assembly, or where NuGet puts it.</summary>
        private static string Bundled() {
            string folder = System.IO.Path.GetDirectoryName(typeof(Library).Assembly.Location);
            if (string.IsNullOrEmpty(folder)) folder = AppDomain.CurrentDomain.BaseDirectory; // a program in one file
            string beside = System.IO.Path.Combine(folder, Soname);
            string machine = RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant(); // x64, arm64
            string package = System.IO.Path.Combine(folder, "runtimes/linux-" + machine + "/native/" + Soname);
            return !File.Exists(beside) && File.Exists(package) ? package : beside;
        }

        /// <summary>Opens a file.  Null: it is open; otherwise a line with the place and its problem.</summary>
        private static string Tried(string label, string file) {
            string problem = IntPtr.Size != 8 || !Directory.Exists("/proc/self") ? "gputide runs on 64-bit Linux alone" : TryOpen(file);
            return problem == null ? null : "  " + label + "   " + problem + "\n";
        }

        private static string TryOpen(string file) {
            if (file != Soname && !File.Exists(file)) return "there is no such file";
            Linker.dlerror(); // the first call resolves the function, which would clear the error of dlopen
            IntPtr opened = Linker.dlopen(Texts.Terminated(file, "path"), Linker.Now | Linker.DeepBinding());
            if (opened == IntPtr.Zero) return Texts.Static(Linker.dlerror()) ?? "dlopen failed without a message";
            string problem = Checked(opened);
            if (problem == null) {
                path = Linker.FileOf(Symbol(opened, "gputide_version")) ?? file;
                handle = opened;
            }
            return problem;
        }

        private delegate int AbiOf();

        private delegate IntPtr VersionOf();

        private static string Checked(IntPtr opened) {
            IntPtr abi = Symbol(opened, "gputide_abi_version"), version = Symbol(opened, "gputide_version");
            if (abi == IntPtr.Zero || version == IntPtr.Zero) return "not a libgputide: it has no gputide_abi_version";
            int number = ((AbiOf) Marshal.GetDelegateForFunctionPointer(abi, typeof(AbiOf)))();
            if (number != AbiVersion) {
                string kind = number > AbiVersion ? "a newer" : "an older";
                return "ABI " + number + ": " + kind + " release; install the gputide package that belongs to it";
            }
            string release = Texts.Static(((VersionOf) Marshal.GetDelegateForFunctionPointer(version, typeof(VersionOf)))());
            if (new Version(release) < new Version(Oldest)) {
                return "release " + release + ": too old; install a newer libgputide, or the gputide package that belongs to it";
            }
            foreach (string table in new[] { "gputide_api", "gputide_plan_api", "gputide_kubernetes_api" }) {
                if (Symbol(opened, table) == IntPtr.Zero) {
                    return "release " + release + " is incomplete: it lacks functions of this package; install libgputide-full";
                }
            }
            return null;
        }

        private static IntPtr Symbol(IntPtr opened, string name) {
            return Linker.dlsym(opened, Texts.Terminated(name, "name"));
        }

        private static string RealPath(string file) {
            IntPtr real = Linker.realpath(Texts.Terminated(file, "path"), IntPtr.Zero);
            if (real == IntPtr.Zero) return file;
            string text = Texts.Static(real);
            Linker.free(real);
            return text;
        }

        /// <summary>The dynamic linker.</summary>
        private static class Linker {
            internal const int Now = 2;

            [DllImport("libdl.so.2")] internal static extern IntPtr dlopen(byte[] file, int flags);

            [DllImport("libdl.so.2")] internal static extern IntPtr dlsym(IntPtr handle, byte[] name);

            [DllImport("libdl.so.2")] internal static extern IntPtr dlerror();

            [DllImport("libdl.so.2")] private static extern int dladdr(IntPtr address, IntPtr* found);

            [DllImport("libc.so.6")] internal static extern IntPtr realpath(byte[] file, IntPtr memory);

            [DllImport("libc.so.6")] internal static extern void free(IntPtr address);

            /// <summary>Returns the file that an address belongs to; null if the system cannot tell.</summary>
            internal static string FileOf(IntPtr address) {
                IntPtr* found = stackalloc IntPtr[4]; // Dl_info
                return dladdr(address, found) != 0 ? Texts.Static(found[0]) : null;
            }

            /// <summary>RTLD_DEEPBIND if the program has an OpenSSL in the global scope, which the library's libcurl would bind to.
            /// Not if malloc is replaced or AddressSanitizer runs: deep binding would split those in two.</summary>
            internal static int DeepBinding() {
                IntPtr program = dlopen(null, Now);
                if (Symbol(program, "SSL_CTX_new") == IntPtr.Zero || Symbol(program, "__asan_init") != IntPtr.Zero) return 0;
                string file = FileOf(Symbol(program, "malloc"));
                return file != null && System.IO.Path.GetFileName(file).StartsWith("libc.", StringComparison.Ordinal) ? 8 : 0;
            }
        }
    }
}
