#!/bin/sh
# Starts the program of this package, which is under lib beside this folder. Where no other data is named and none is here, it serves the
# demo market of the package, under share.
here=$(dirname "$(readlink -f "$0")")
case "${PARQUOTE_DATA:-}" in
'' | '${user_config.'*)
    # A chat app leaves the name of a setting that nobody has set.
    unset PARQUOTE_DATA
    case " $* " in
    # These take PARQUOTE_DATA for a folder that they write to.
    *' publish '* | *' worker '*) ;;
    *) [ -d data/demo ] || export PARQUOTE_DATA="$here/../share/parquote/demo" ;;
    esac
    ;;
esac
exec "$here/../lib/parquote/parquote" "$@"
