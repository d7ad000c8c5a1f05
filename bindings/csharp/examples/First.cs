using System;
using Gputide;

static class First {
    static void Main(string[] arguments) {
        using (Scaler scaler = Scaler.OpenFile(arguments[0], new Options { AllowEnvironment = true })) {
            Decision decision = scaler.Tick(new Observation(int.Parse(arguments[1])), TimeSpan.FromSeconds(5));
            Console.WriteLine("{0} -> {1} {2}", decision.Current, decision.Desired, decision.LimitedBy.Spelled());
            if (decision.WantsWrite) scaler.Record(decision, true); // here: write decision.Desired to the target first
        }
    }
}
