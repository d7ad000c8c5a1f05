using System;
using System.Linq;
using System.Text;
using System.Threading;
using Gputide;

/// <summary>Texts of every size and alphabet.</summary>
internal static class TextsTest {
    public static void NulInAManifestIsTheLibrarysToRefuse() {
        Support.Throws<GputideException.Invalid>(() => Policy.Open(Support.ScaledObject() + "\0"));
    }

    public static void NulInANameAPathOrAScopeNeverReachesC() {
        Support.Throws<ArgumentException>(() => Policy.Open(Support.ScaledObject(), new Options { TextName = "a\0b" }));
        Support.Throws<ArgumentException>(() => Policy.Open(Support.ScaledObject(), new Options { Scaler = "a\0b" }));
        Support.Throws<ArgumentException>(() => Source.Open("", new Options { CaFile = "/a\0b" }));
        Support.Throws<ArgumentException>(() => Source.Open("", new Options { AllowedPrograms = new[] { "a,b" } }));
        using (Credential credential = Credential.Open("provider: azure-cli", new Options { AllowedPrograms = new[] { "az" } })) {
            Support.Throws<ArgumentException>(() => credential.Token("a\0b"));
        }
    }

    public static void BigManifestsAreBeyondTheLimit() {
        var problem = Support.Throws<GputideException>(() => Policy.Open(new byte[64 << 20]));
        Support.That(problem.Status == Status.Limit || problem.Status == Status.Invalid, problem.ToString());
    }

    public static void BigSeriesGoThroughWhole() {
        const int count = 200000;
        long[] times = Enumerable.Range(0, count).Select(index => Support.NowMs + index * 1000L).ToArray();
        using (var series = new Series())
        using (var copy = new Series()) {
            series.Add(0, times, times.Select(time => 1.5).ToArray());
            series.AddReplicas(times, times.Select(time => 3).ToArray());
            string csv = series.Write();
            Support.That(csv.Length > 4000000, "bytes: " + csv.Length);
            copy.Read(csv);
            Support.Contains(copy.Describe(), "200000");
        }
    }

    public static void UnicodeBeyondTheBmpComesBackTheSame() {
        const string name = "Größe-\U0001F600-\u4F60";
        var problem = Support.Throws<GputideException.Invalid>(
            () => Policy.Open("{\"kind\":\"" + name + "\"}", new Options { TextName = name }));
        Support.Contains(problem.Message, name);
        byte[] manifest = Encoding.UTF8.GetBytes(Support.ScaledObject().Replace("\"5\"", "\"" + name + "\""));
        Support.Contains(Manifest.Check(manifest).Lines, name);
    }

    public static void UnicodeLoneSurrogatesAreRefused() {
        Support.Throws<ArgumentException>(() => Policy.Open("\uD83D"));
    }

    public static void SecretsAreNotShown() {
        Support.That(!typeof(Token).GetMethod("ToString").DeclaringType.Equals(typeof(object)), "Token.ToString");
    }

    public static void TimesAndDurations() {
        Moment moment = new DateTimeOffset(2026, 11, 21, 12, 0, 0, TimeSpan.FromHours(2));
        Support.Same(Support.NowMs, moment.UnixMs);
        Support.Same(null, Moment.At(long.MaxValue).Time);
        Support.Same("", default(Moment).ToString());
        using (var log = LogReader.Open()) {
            Support.Throws<ArgumentOutOfRangeException>(() => log.Next(TimeSpan.FromMilliseconds(-5)));
            Support.Same(null, log.Next(TimeSpan.FromTicks(1)));
            using (var stop = new CancellationTokenSource(50)) {
                Support.Throws<OperationCanceledException>(() => log.Next(Timeout.InfiniteTimeSpan, stop.Token));
            }
        }
    }
}
