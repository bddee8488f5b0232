#!/bin/bash
# Every option of every command stands in its man page and is offered by the shells. Arguments: the tool.
set -u
strata=$1
case $strata in /*) ;; *) strata=$PWD/$strata ;; esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0
fail() { echo "manual: $1"; bad=1; }
plain() { sed 's/\\fB//g; s/\\fR//g; s/\\fI//g; s/\\-/-/g; s/\\&//g; s/\\e/\\/g'; }
commands=$("$strata" help | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
"$strata" help --man | plain >"$scratch/main"
"$strata" completion bash >"$scratch/strata.bash"
for command in $commands; do
    grep -q "strata-$command (1)" "$scratch/main" || fail "strata(1) does not name strata-$command(1)"
    "$strata" help --man "$command" >"$scratch/strata-$command.1" || fail "there is no man page of $command"
    plain <"$scratch/strata-$command.1" >"$scratch/page"
    head -n 1 "$scratch/page" | grep -q '^\.TH STRATA-' || fail "the man page of $command does not begin with its title"
    grep -q '^usage:' "$scratch/page" && fail "the man page of $command holds help that is in no table (tools/manual.c: subcommands?)"
    for option in $("$strata" "$command" --help | sed -n 's/^  .*\(--[a-z][a-z-]*\).*/\1/p'); do
        grep -q -- "$option" "$scratch/page" || fail "the man page of $command has no $option"
    done
    sed -n '/^\.SH EXAMPLES/,/^\.SH EXIT/p' "$scratch/page" | grep -E "^strata|^eval" >"$scratch/examples" || fail "the man page of $command has no example"
    for option in $(sed 's/ -- .*//' "$scratch/examples" | grep -oE -- ' --?[a-z][a-z-]*'); do
        sed '/^\.SH EXAMPLES/,$d' "$scratch/page" | grep -qE -- "^$option( |\$)|, $option( |\$)|^$option," || fail "an example of $command has $option, which is none of its options"
    done
    if command -v groff >/dev/null 2>&1; then
        groff -man -Tascii -ww "$scratch/strata-$command.1" 2>"$scratch/warnings" >/dev/null
        [ ! -s "$scratch/warnings" ] || fail "groff on strata-$command.1: $(head -n 1 "$scratch/warnings")"
    fi
done

# What Tab gives behind the words of an array.
PATH=$(dirname "$strata"):$PATH
# shellcheck disable=SC1091
source "$scratch/strata.bash" || fail "bash does not take its completion"
complete_words() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _strata
    echo " ${COMPREPLY[*]} "
}
offers() { # offers WORD WORDS...
    local want=$1
    shift
    case $(complete_words "$@") in *" $want "*) ;; *) fail "\"$*\" and Tab do not offer $want" ;; esac
}
offers predict strata pre
offers --gpu strata predict --g
offers h200 strata predict --gpu h
offers flow strata predict --model f
offers json strata predict --format j
offers show strata gpu s
offers --set-only strata gpu show --s
offers h200 strata gpu show h
offers sweep strata help s
for command in $commands; do [ "$command" = gpu ] || [ "$command" = learn ] || offers --help strata "$command" --; done

# The other shells at least read theirs, where they are.
for shell in zsh fish; do
    "$strata" completion $shell >"$scratch/strata.$shell" || fail "there is no completion for $shell"
    if command -v $shell >/dev/null 2>&1; then
        $shell -n "$scratch/strata.$shell" || fail "$shell does not take its completion"
    else
        echo "not tried: there is no $shell here"
    fi
done
[ $bad = 0 ] && echo "man pages and completion know every command and option"
exit $bad
