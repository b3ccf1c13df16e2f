# What mappings have beyond the library of jaq, which stands before it: functions of jq's manual that
# jaq lacks, and those that it answers otherwise than the manual says.

# Numbers, booleans and dates
def number: number(null);
def measure($unit): measure($unit; null);
def money: money(null; null);
def money($currency): money($currency; null);
def toboolean: if isboolean then .
  elif . == "true" then true
  elif . == "false" then false
  else error("could not read \(tojson) as true or false") end;
def date: todate;
def dateadd(unit; $seconds): . + $seconds;
def datesub(unit; $seconds): . - $seconds;
def have_literal_numbers: true;
def have_decnum: false;

# Texts
def trimstr($s): ltrimstr($s) | rtrimstr($s);
def ascii: [.] | implode;
def scan($re; $flags): matches($re; "g" + $flags)[] | [.[].string]
  | if length == 1 then .[0] else .[1:] end;
def scan($re): scan($re; null);
def join($s): reduce .[] as $x (null; if . == null then "" else . + $s end + ($x // if $x == null then "" else $x end | tostring)) // "";

# Formats
def _row(f): if isarray then . else error("only a list can be a row, not \(tojson)") end
  | map(if isstring then f elif . == null then ""
    elif isarray or isobject then error("\(tojson) cannot stand in a row") else tojson end);
def @csv: _row("\"\(split("\"") | join("\"\""))\"") | join(",");
def @tsv: _row(split("\\") | join("\\\\") | split("\t") | join("\\t")
  | split("\n") | join("\\n") | split("\r") | join("\\r")) | join("\t");
def format($name):
  if $name == "text" then @text elif $name == "json" then @json
  elif $name == "csv" then @csv elif $name == "tsv" then @tsv
  elif $name == "html" then @html elif $name == "uri" then @uri elif $name == "urid" then @urid
  elif $name == "sh" then @sh elif $name == "base64" then @base64
  elif $name == "base64d" then @base64d
  else error("\($name | tojson) is not a format of texts") end;

# Lists and objects
def toarray: if isarray then . else [.] end;
def from_entries: reduce .[] as $x ({}; . + {
  ($x | if .key != null then .key else .k // .name // .Name // .K // .Key end):
  ($x | if has("value") then .value elif has("v") then .v else .Value end)
});
def with_entries(f): to_entries | map(f) | from_entries;
def setpath($path; $x):
  def put($path): if $path == [] then $x else $path[0] as $key
    | if . == null then if $key | isnumber then [] else {} end end
    | if isarray and ($key | isnumber) and length <= $key
      then . + [range($key - length) | null] + [null | put($path[1:])]
      else .[$key] |= put($path[1:]) end
  end;
  put($path);
def delpaths($paths): reduce ($paths | unique | reverse[]) as $path (.;
  if $path == [] then null
  elif try (getpath($path[:-1]) | . == null or (has($path[-1]) | not)) catch false then .
  else getpath($path) |= empty end);
def del(f): delpaths([path(f)]);
def pick(f): . as $top | reduce path(f) as $path (null; setpath($path; $top | getpath($path)));
def leaf_paths: paths(scalars);

# Streams and tables
def IN(s): any(s == .; .);
def IN(source; s): any(source == s; .);
def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] = $row);
def INDEX(f): INDEX(.[]; f);
def JOIN($index; f): [.[] | [., $index[f]]];
def JOIN($index; stream; f): stream | [., $index[f]];
def JOIN($index; stream; f; join): stream | [., $index[f]] | join;
def tostream: path(def r: (.[]? | r), .; r) as $p | getpath($p)
  | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def truncate_stream(stream): . as $depth | null | stream
  | if $depth < (.[0] | length) then .[0] |= .[$depth:] else empty end;
def fromstream(stream): {whole: null, is_whole: false} as $none
  | foreach stream as $event ($none;
      if .is_whole then $none end
      | .is_whole = ($event[0] | length) == (2 - ($event | length))
      | if $event | length == 2 then .whole |= setpath($event[0]; $event[1]) end;
      if .is_whole then .whole else empty end);
