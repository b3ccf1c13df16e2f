# Functions of jaq with errors that say what could not be read, and what would be. The library of
# jaq is made of them, so that they stand before it. Those with an underscore are jaq's own.

def fromdateiso8601: . as $given | try _fromdateiso8601
  catch error("could not read \($given | tojson) as a time such as \"2026-05-01T12:00:00Z\": \(.)");
def strptime($form): . as $given
  | if $form | contains("%z") or contains("%:z")
    then error("`strptime` drops the offset that `%z` reads; `time(\($form | tojson); \"UTC\")` keeps it") end
  | try _strptime($form)
  catch error("could not read \($given | tojson) as a time in the form \($form | tojson): \(.)");
def mktime: . as $given | try _mktime
  catch error("could not read \($given | tojson) as the parts of a time, which `strptime` gives");

def _expression(f): try f catch error(if endswith(" not supported")
  then "\(.); match more, and take the part that is wanted by `capture`" end);
def matches($re; $flags): _expression(
  if $re < [] then _matches($re; $flags // "")
  else _matches($re[0]; ($flags // "") + ($re[1] // "")) end);
def split_matches($re; $flags): _expression(_split_matches($re; $flags));
def split_($re; $flags): _expression(_split_($re; $flags));
