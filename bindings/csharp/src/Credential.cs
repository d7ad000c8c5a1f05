using System;
using System.Threading;
using System.Threading.Tasks;

namespace Gputide {
    /// <summary>A bearer token.  ToString does not show the secret.</summary>
    public sealed unsafe class Token {
        internal Token(string value, gputide_token_info* info) {
            Value = value;
            Expires = Moment.At(info->expires_at_ms);
            Refresh = Moment.At(info->refresh_at_ms);
            UsableUntil = Moment.At(info->usable_until_ms);
        }

        /// <summary>The secret.</summary>
        public string Value { get; }

        /// <summary>When it expires.</summary>
        public Moment Expires { get; }

        /// <summary>From when on the library renews it.</summary>
        public Moment Refresh { get; }

        /// <summary>Until when the library returns it.</summary>
        public Moment UsableUntil { get; }

        /// <summary>Returns the identifying claims of a JWT (aud, iss, tid, sub, exp, ...) as JSON.  Nothing is verified.</summary>
        public static string Claims(Text token) {
            return CallMemory.TextOf((json, error) => Native.token_claims(token.Bytes, token.Size, json, error));
        }

        /// <inheritdoc/>
        public override string ToString() {
            return "Token, expires " + Expires;
        }
    }

    /// <summary>Acquires tokens: a TriggerAuthentication document, or its podIdentity block alone.  Equal credentials share a cache
    /// in the whole process.</summary>
    public sealed unsafe class Credential : Handle {
        private readonly CredentialHandle credential;

        private Credential(CredentialHandle credential) : base(false, credential) {
            this.credential = credential;
        }

        /// <summary>Opens a credential, such as "provider: azure-workload".  No request is made.</summary>
        public static Credential Open(Text text, Options options = null) {
            using (CallMemory memory = CallMemory.Take()) {
                CredentialHandle made;
                memory.Check(Native.credential_open(text.Bytes, text.Size, Options.In(memory, options), out made, memory.Error));
                return new Credential(made);
            }
        }

        /// <summary>Returns a token for one scope, such as "https://prometheus.monitor.azure.com/.default"; from the cache if
        /// possible.  The timeout is 10 s by default.</summary>
        public Token Token(string scope, TimeSpan? timeout = null, CancellationToken cancel = default(CancellationToken)) {
            return Acquiring(scope).Here(timeout, cancel);
        }

        /// <summary>As Token, in a thread of its own.</summary>
        public Task<Token> TokenAsync(string scope, TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken)) {
            return Acquiring(scope).Async(timeout, cancel);
        }

        private Wait<Token> Acquiring(string scope) {
            byte[] name = Texts.Terminated(scope, nameof(scope));
            return new Wait<Token>((memory, cancel, leftMs) => {
                var info = (gputide_token_info*) memory.Bytes(sizeof(gputide_token_info));
                info->struct_size = (uint) sizeof(gputide_token_info);
                memory.Check(Native.credential_token(credential, name, leftMs, cancel, memory.Text, info, memory.Error));
                return new Token(memory.TakeText(), info);
            }, this);
        }

        /// <summary>Drops a token from the cache: a resource answered 401 to exactly this one.</summary>
        public void Invalidate(string scope, Text token) {
            byte[] name = Texts.Terminated(scope, nameof(scope));
            Act(error => Native.credential_invalidate(credential, name, token.Bytes, token.Size, error));
        }

        /// <summary>Changes the size of a node pool of AKS, unless the change is dry, and follows the operation to its end.</summary>
        /// <param name="change">JSON, such as {"cluster":"/subscriptions/...","pool":"gpunp","count":4,"dry":false}.</param>
        /// <param name="timeout">Over all of it, by default 10 minutes; an operation that still runs then goes on.</param>
        /// <param name="cancel">Ends the call; what was written stays.</param>
        /// <returns>JSON (docs/json.md, agent_pool_write).</returns>
        public string WriteAgentPool(Text change, TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken)) {
            return Writing(change).Here(timeout ?? TimeSpan.FromMinutes(10), cancel);
        }

        /// <summary>As WriteAgentPool, in a thread of its own.</summary>
        public Task<string> WriteAgentPoolAsync(Text change, TimeSpan? timeout = null,
            CancellationToken cancel = default(CancellationToken)) {
            return Writing(change).Async(timeout ?? TimeSpan.FromMinutes(10), cancel);
        }

        private Wait<string> Writing(Text change) {
            return new Wait<string>((memory, cancel, leftMs) => {
                memory.Check(Native.agent_pool_write(
                    credential, change.Bytes, change.Size, leftMs, cancel, memory.Text, memory.Error));
                return memory.TakeText();
            }, this);
        }
    }
}
