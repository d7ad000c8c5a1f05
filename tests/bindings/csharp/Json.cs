using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

/// <summary>JSON as Dictionary, List, string, decimal (integers), double, bool, null.</summary>
internal sealed class Json {
    private readonly string text;
    private int at;

    private Json(string text) {
        this.text = text;
    }

    internal static object Parse(string text) {
        return new Json(text).Value();
    }

    private char Next() {
        while (" \t\r\n".IndexOf(text[at]) >= 0) at++;
        return text[at];
    }

    private bool Takes(char mark) {
        bool found = Next() == mark;
        if (found) at++;
        return found;
    }

    private object Value() {
        switch (Next()) {
            case '{': return Object();
            case '[': return List();
            case '"': return String();
            case 't': at += 4; return true;
            case 'f': at += 5; return false;
            case 'n': at += 4; return null;
            default: return Number();
        }
    }

    private Dictionary<string, object> Object() {
        var members = new Dictionary<string, object>();
        at++;
        while (!Takes('}')) {
            Takes(',');
            Next();
            string name = String();
            Takes(':');
            members[name] = Value();
        }
        return members;
    }

    private List<object> List() {
        var values = new List<object>();
        at++;
        while (!Takes(']')) {
            Takes(',');
            values.Add(Value());
        }
        return values;
    }

    private string String() {
        var value = new StringBuilder();
        for (at++; text[at] != '"'; at++) {
            if (text[at] != '\\') {
                value.Append(text[at]);
            } else if (text[++at] == 'u') {
                value.Append((char) int.Parse(text.Substring(at + 1, 4), NumberStyles.HexNumber, CultureInfo.InvariantCulture));
                at += 4;
            } else {
                int index = "bfnrt".IndexOf(text[at]);
                value.Append(index < 0 ? text[at] : "\b\f\n\r\t"[index]);
            }
        }
        at++;
        return value.ToString();
    }

    private object Number() {
        int start = at;
        while (at < text.Length && "+-.eE0123456789".IndexOf(text[at]) >= 0) at++;
        string number = text.Substring(start, at - start);
        if (number.IndexOfAny(".eE".ToCharArray()) < 0 && number.Length < 28) {
            return decimal.Parse(number, CultureInfo.InvariantCulture);
        }
        return double.Parse(number, CultureInfo.InvariantCulture);
    }

    /// <summary>Writes a value as one line.  Integers beyond 2^53 are texts.</summary>
    internal static string Write(object value) {
        if (value == null) return "null";
        if (value is bool truth) return truth ? "true" : "false";
        if (value is string word) return Quoted(word);
        if (value is double real) return Real(real);
        if (value is IDictionary map) {
            return "{" + string.Join(",", map.Keys.Cast<string>().Select(key => Quoted(key) + ":" + Write(map[key]))) + "}";
        }
        if (value is IEnumerable list) return "[" + string.Join(",", list.Cast<object>().Select(Write)) + "]";
        decimal integer = Convert.ToDecimal(value, CultureInfo.InvariantCulture);
        string digits = integer.ToString("0", CultureInfo.InvariantCulture);
        return Math.Abs(integer) > 1L << 53 ? Quoted(digits) : digits;
    }

    private static string Real(double real) {
        if (double.IsNaN(real)) return "\"NaN\"";
        if (double.IsInfinity(real)) return real > 0 ? "\"+Inf\"" : "\"-Inf\"";
        return real.ToString("G17", CultureInfo.InvariantCulture);
    }

    private static string Quoted(string text) {
        var quoted = new StringBuilder("\"");
        foreach (char unit in text) {
            if (unit == '"' || unit == '\\') {
                quoted.Append('\\').Append(unit);
            } else if (unit < ' ' || char.IsSurrogate(unit)) {
                quoted.Append("\\u").Append(((int) unit).ToString("x4"));
            } else {
                quoted.Append(unit);
            }
        }
        return quoted.Append('"').ToString();
    }
}
