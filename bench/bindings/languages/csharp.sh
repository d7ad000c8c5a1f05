# shellcheck shell=bash
# C# on mono, for run.sh.
measure_csharp() {
    local csharp=$PWD/build/bindings/csharp
    tests/bindings/languages/csharp_build.sh . "$csharp" >/dev/null
    mcs -langversion:7 -optimize -out:"$csharp/Decide.exe" -r:"$csharp/Gputide.dll" bench/bindings/Decide.cs
    in_turns mono -O=all "$csharp/Decide.exe"
    echo "decide, one number: C $c ns, C# ${best[0]} ns"
    figure "C# above C" $((best[0] - c)) 600 ns
}
