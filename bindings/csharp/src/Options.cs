using System;

namespace Gputide {
    /// <summary>A text beside the main one: a TriggerAuthentication, a Secret, a ConfigMap.</summary>
    public sealed class TextFile {
        /// <summary>Makes a text with a name for messages; the name may be null.</summary>
        public TextFile(string name, Text text) {
            Name = name;
            Text = text;
        }

        /// <summary>The name for messages.</summary>
        public string Name { get; }

        internal Text Text { get; }
    }

    /// <summary>What the host program allows and knows; a manifest cannot set any of it.  The defaults allow nothing.</summary>
    public sealed class Options {
        /// <summary>Any name in ${NAME} and env: of a manifest.</summary>
        public bool AllowEnvironment { get; set; }

        /// <summary>A credential over http to a host that is not loopback.</summary>
        public bool AllowPlainHttp { get; set; }

        /// <summary>A login endpoint outside the known Azure clouds.</summary>
        public bool AllowCustomAuthority { get; set; }

        /// <summary>AKS identity bindings: AZURE_KUBERNETES_TOKEN_PROXY.</summary>
        public bool EnableAzureProxy { get; set; }

        /// <summary>The strict profile, as if each manifest had gputide.io/profile: strict.</summary>
        public bool Strict { get; set; }

        /// <summary>Sends no credential to a server without a verified certificate.</summary>
        public bool VerifiedPeers { get; set; }

        /// <summary>Sends tokens of the host's identities also to a server with unsafeSsl.</summary>
        public bool AllowUnverifiedPeers { get; set; }

        /// <summary>The name of the main text in messages.</summary>
        public string TextName { get; set; }

        /// <summary>"name" or "namespace/name", if the text holds several scalers.</summary>
        public string Scaler { get; set; }

        /// <summary>Texts beside the main one.</summary>
        public TextFile[] Files { get; set; }

        /// <summary>Variables that ${NAME} and env: may name: "TENANT", "APP_*".</summary>
        public string[] AllowedEnvironment { get; set; }

        /// <summary>Hosts that may get a cloud token beside the cloud's own.</summary>
        public string[] AllowedTokenHosts { get; set; }

        /// <summary>Programs that may be run for a token: "az", "/opt/bin/token".</summary>
        public string[] AllowedPrograms { get; set; }

        /// <summary>The folder of FOLDER/name/key for secretTargetRef and configMapTargetRef.</summary>
        public string SecretsDir { get; set; }

        /// <summary>PEM roots, instead of SSL_CERT_FILE and the system's.</summary>
        public string CaFile { get; set; }

        /// <summary>The same as text; used before CaFile.</summary>
        public Text CaPem { get; set; }

        /// <summary>"http://proxy:3128"; "environment": HTTPS_PROXY, HTTP_PROXY, NO_PROXY.</summary>
        public string Proxy { get; set; }

        /// <summary>The User-Agent of requests.</summary>
        public string UserAgent { get; set; }

        /// <summary>The kubeconfig file of a cluster.</summary>
        public string Kubeconfig { get; set; }

        /// <summary>The context in it.</summary>
        public string KubeContext { get; set; }

        /// <summary>The folder of a service account's token and certificate.</summary>
        public string ServiceAccountDir { get; set; }

        private uint Flags {
            get {
                return (AllowEnvironment ? Abi.ALLOW_ENVIRONMENT : 0)
                    | (AllowPlainHttp ? Abi.ALLOW_PLAIN_HTTP : 0)
                    | (AllowCustomAuthority ? Abi.ALLOW_CUSTOM_AUTHORITY : 0)
                    | (EnableAzureProxy ? Abi.ENABLE_AZURE_PROXY : 0)
                    | (Strict ? Abi.STRICT : 0)
                    | (VerifiedPeers ? Abi.VERIFIED_PEERS : 0)
                    | (AllowUnverifiedPeers ? Abi.ALLOW_UNVERIFIED_PEERS : 0);
            }
        }

        /// <summary>Fills the struct of C; NULL for null.</summary>
        internal static unsafe gputide_options* In(CallMemory memory, Options options) {
            if (options == null) return null;
            var raw = (gputide_options*) memory.Bytes(sizeof(gputide_options));
            options.Fill(memory, raw);
            return raw;
        }

        private unsafe void Fill(CallMemory memory, gputide_options* raw) {
            raw->struct_size = (uint) sizeof(gputide_options);
            raw->flags = Flags;
            raw->text_name = memory.Copy(Texts.Terminated(TextName, nameof(TextName)));
            raw->scaler = memory.Copy(Texts.Terminated(Scaler, nameof(Scaler)));
            raw->allowed_environment = memory.Copy(Texts.Joined(AllowedEnvironment, nameof(AllowedEnvironment)));
            raw->allowed_token_hosts = memory.Copy(Texts.Joined(AllowedTokenHosts, nameof(AllowedTokenHosts)));
            raw->allowed_programs = memory.Copy(Texts.Joined(AllowedPrograms, nameof(AllowedPrograms)));
            raw->secrets_dir = memory.Copy(Texts.Terminated(SecretsDir, nameof(SecretsDir)));
            raw->ca_file = memory.Copy(Texts.Terminated(CaFile, nameof(CaFile)));
            raw->proxy = memory.Copy(Texts.Terminated(Proxy, nameof(Proxy)));
            raw->user_agent = memory.Copy(Texts.Terminated(UserAgent, nameof(UserAgent)));
            raw->kubeconfig = memory.Copy(Texts.Terminated(Kubeconfig, nameof(Kubeconfig)));
            raw->kube_context = memory.Copy(Texts.Terminated(KubeContext, nameof(KubeContext)));
            raw->service_account_dir = memory.Copy(Texts.Terminated(ServiceAccountDir, nameof(ServiceAccountDir)));
            if (CaPem.IsGiven) {
                raw->ca_pem = memory.Copy(CaPem.Bytes);
                raw->ca_pem_bytes = CaPem.Size;
            }
            if (Files == null || Files.Length == 0) return;
            var files = (gputide_file*) memory.Bytes((long) Files.Length * sizeof(gputide_file));
            for (int index = 0; index < Files.Length; index++) {
                files[index].name = memory.Copy(Texts.Terminated(Files[index].Name, "a file's name"));
                files[index].text = memory.Copy(Files[index].Text.Bytes);
                files[index].size_bytes = Files[index].Text.Size;
            }
            raw->files = (System.IntPtr) files;
            raw->file_count = (uint) Files.Length;
            raw->file_size = (uint) sizeof(gputide_file);
        }
    }

    /// <summary>Settings of a runtime.  0 or null: the library's default (docs/runtime.md).</summary>
    public sealed class RuntimeOptions {
        /// <summary>Events also for decisions that change nothing.</summary>
        public bool EveryDecision { get; set; }

        /// <summary>Events carry the decision as JSON, with conditions and trace.</summary>
        public bool Reports { get; set; }

        /// <summary>Equal queries of two scalers are sent twice.</summary>
        public bool NoSharing { get; set; }

        /// <summary>Each poll waits for an observation, which an event of kind Due requests.</summary>
        public bool ObserveFirst { get; set; }

        /// <summary>The seed of the start offsets.</summary>
        public ulong Seed { get; set; }

        /// <summary>The timeout of a poll.</summary>
        public TimeSpan? PollTimeout { get; set; }

        /// <summary>The time over which first polls are spread.</summary>
        public TimeSpan? StartSpread { get; set; }

        /// <summary>The age up to which scalers share a response.</summary>
        public TimeSpan? ShareWindow { get; set; }

        /// <summary>Requests in flight.</summary>
        public int MaxInFlight { get; set; }

        /// <summary>Requests in flight to one endpoint.</summary>
        public int MaxPerEndpoint { get; set; }

        /// <summary>Failures after which an endpoint's breaker opens.</summary>
        public int BreakerFailures { get; set; }

        /// <summary>The first pause of an open breaker.</summary>
        public TimeSpan? BreakerBase { get; set; }

        /// <summary>The longest pause.</summary>
        public TimeSpan? BreakerCap { get; set; }

        /// <summary>The time that polls are gathered.</summary>
        public TimeSpan? Gather { get; set; }

        /// <summary>Fills the struct of C; NULL for null.</summary>
        internal static unsafe gputide_runtime_options* In(CallMemory memory, RuntimeOptions options) {
            if (options == null) return null;
            var raw = (gputide_runtime_options*) memory.Bytes(sizeof(gputide_runtime_options));
            raw->struct_size = (uint) sizeof(gputide_runtime_options);
            raw->flags = (options.EveryDecision ? Abi.RUNTIME_EVERY_DECISION : 0)
                | (options.Reports ? Abi.RUNTIME_REPORTS : 0)
                | (options.NoSharing ? Abi.RUNTIME_NO_SHARING : 0)
                | (options.ObserveFirst ? Abi.RUNTIME_OBSERVE_FIRST : 0);
            raw->seed = options.Seed;
            raw->poll_timeout_ms = Ms(options.PollTimeout);
            raw->start_spread_ms = Ms(options.StartSpread);
            raw->share_window_ms = Ms(options.ShareWindow);
            raw->max_in_flight = options.MaxInFlight;
            raw->max_per_endpoint = options.MaxPerEndpoint;
            raw->breaker_failures = options.BreakerFailures;
            raw->breaker_base_ms = Ms(options.BreakerBase);
            raw->breaker_cap_ms = Ms(options.BreakerCap);
            raw->gather_ms = Ms(options.Gather);
            return raw;
        }

        private static int Ms(TimeSpan? duration) {
            return duration == null ? 0 : Durations.Ms(duration.Value);
        }
    }
}
