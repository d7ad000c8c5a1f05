// A decision and a failure through the declarations that csharp.py has written; prints a line for each thing that it finds.
using System;
using System.Runtime.InteropServices;
using System.Text;

public static unsafe class Decide {
    const string Manifest =
        "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: demo}\nspec:\n  scaleTargetRef: {name: demo}\n" +
        "  maxReplicaCount: 20\n  triggers: [{type: values, metadata: {threshold: \"5\"}}]\n";

    static gputide_policy Open(string manifest, out gputide_error error) {
        byte[] text = Encoding.UTF8.GetBytes(manifest);
        gputide_policy policy;
        gputide_error failure = new gputide_error { struct_size = (uint) sizeof(gputide_error) };
        Gputide.gputide_policy_open(text, text.Length, null, out policy, &failure);
        error = failure;
        return policy;
    }

    public static int Main() {
        gputide_error error;
        gputide_state state;
        gputide_decision decision = new gputide_decision { struct_size = (uint) sizeof(gputide_decision) };
        using (gputide_policy policy = Open(Manifest, out error)) {
            if (Gputide.gputide_state_new(policy, 0, out state, null) != Gputide.OK) return 1;
            using (state) {
                int status = Gputide.gputide_decide_values(policy, state, 1795255200000, 3, new[] {42.5}, 1, ref decision, null);
                if (status != Gputide.OK) return 1;
            }
            Console.WriteLine("{0} -> {1}, limited by {2}", decision.current_replicas, decision.desired_replicas,
                Marshal.PtrToStringAnsi(Gputide.gputide_limit_name(decision.limited_by)));
        }
        using (gputide_policy none = Open(Manifest.Replace("\"5\"", "\"many\""), out error)) {
            string name = Marshal.PtrToStringAnsi(Gputide.gputide_status_name(error.status));
            Console.WriteLine("{0} {1} {2}", none.IsInvalid, name, Marshal.PtrToStringAnsi((IntPtr) error.message));
        }
        return 0;
    }
}
