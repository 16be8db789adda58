"""The completion scripts of three shells, from the same description of the command lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from shlex import quote

from mule.cli.completion import CommandLine, Option, Value

BASH = """\
# Completion of mule for bash. To use it: source <(mule completion bash)
_mule() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words="" kind=files
    # bash takes --por=none apart at the sign
    if [[ $current == "=" ]]; then
        current=""
    elif [[ $before == "=" ]]; then
        before=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    COMPREPLY=()
    if (( COMP_CWORD == 1 )); then
        kind=words words={commands}
    else
        case "${{COMP_WORDS[1]}} $before" in
{values}
            *)
                case "${{COMP_WORDS[1]}} $current" in
{options}
{operands}
                esac
                ;;
        esac
    fi
    case $kind in
        words) COMPREPLY=($(compgen -W "$words" -- "$current")); [[ $COMPREPLY ]] || compopt +o default ;;
        folders) compopt -o dirnames +o default ;;
        text) compopt +o default ;;
    esac
}}
complete -o default -F _mule mule
"""


def bash(lines: Sequence[CommandLine]) -> str:
    """Where the function has nothing to say, bash completes names of files: `-o default`."""
    values, options, operands = [], [], []
    for line in lines:
        for option in line.options:
            if option.value.kind != "nothing" and not option.value.optional:
                names = "|".join(quote(f"{line.command} {name}") for name in option.names)
                values.append(f"            {names}) {_bash_value(option.value)} ;;")
        names = " ".join(name for option in line.options for name in option.names)
        options.append(f'                    "{line.command} -"*) kind=words words={quote(names)} ;;')
        value = line.operands[0] if line.operands else Value("text")
        operands.append(f'                    "{line.command} "*) {_bash_value(value)} ;;')
    commands = quote(" ".join(line.command for line in lines))
    return BASH.format(
        commands=commands, values="\n".join(values), options="\n".join(options), operands="\n".join(operands)
    )


def _bash_value(value: Value) -> str:
    return f"kind={value.kind}" + (f" words={quote(' '.join(value.words))}" if value.words else "")


ZSH = """\
#compdef mule
# Completion of mule for zsh. To use it, below compinit: source <(mule completion zsh)
_mule() {{
    local -a commands
    commands=(
{commands}
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    shift words
    (( CURRENT-- ))
    case $words[1] in
{cases}
    esac
}}
if [[ $funcstack[1] == _mule ]]; then _mule "$@"; else compdef _mule mule; fi
"""


def zsh(lines: Sequence[CommandLine]) -> str:
    commands = "\n".join(f"        {quote(f'{line.command}:{line.meaning}')}" for line in lines)
    cases = []
    for line in lines:
        specifications = [each for option in line.options for each in _zsh_option(option)]
        known = (value for value in line.operands if value.kind != "text")
        specifications += [f":{value.name}:{_zsh_value(value)}" for value in known]
        joined = " \\\n                ".join(map(quote, specifications))
        cases.append(f"        {line.command})\n            _arguments -S \\\n                {joined} ;;")
    return ZSH.format(commands=commands, cases="\n".join(cases))


def _zsh_option(option: Option) -> Iterator[str]:
    meaning = "".join(f"\\{sign}" if sign in "[]:\\" else sign for sign in option.meaning)
    others = "*" if option.repeated else f"({' '.join(option.names)})"
    for name in option.names:
        if option.value.kind == "nothing":
            yield f"{others}{name}[{meaning}]"
            continue
        joint = "=" if name.startswith("--") else "+"
        colons = "::" if option.value.optional else ":"
        yield f"{others}{name}{joint}[{meaning}]{colons}{_zsh_name(option.value)}:{_zsh_value(option.value)}"


def _zsh_name(value: Value) -> str:
    return value.name.replace(":", "\\:")


def _zsh_value(value: Value) -> str:
    actions = {"words": f"({' '.join(value.words)})", "files": "_files", "folders": "_files -/"}
    return actions.get(value.kind, " ")


FISH = """\
# Completion of mule for fish. To use it: mule completion fish > ~/.config/fish/completions/mule.fish
function __mule_command
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]
end
function __mule_no_command
    test (count (commandline -opc)) -eq 1
end
"""


def fish(lines: Sequence[CommandLine]) -> str:
    return FISH + "".join(f"complete -c mule {each}\n" for each in _fish_lines(lines))


def _fish_lines(lines: Sequence[CommandLine]) -> Iterator[str]:
    for line in lines:
        yield f"-n __mule_no_command -f -a {line.command} -d {_fish_quote(line.meaning)}"
        here = f"-n '__mule_command {line.command}'"
        for option in line.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            yield f"{here} {names} -d {_fish_quote(option.meaning)}{_fish_value(option.value)}"
        for operand in line.operands:
            if operand.words:
                yield f"{here} -f -a {_fish_quote(' '.join(operand.words))}"
        if not any(operand.kind == "files" for operand in line.operands):
            yield f"{here} -f"


def _fish_value(value: Value) -> str:
    if value.kind == "nothing" or value.optional:
        return ""
    actions = {
        "words": f" -x -a {_fish_quote(' '.join(value.words))}",
        "files": " -r -F",
        "folders": " -x -a '(__fish_complete_directories)'",
    }
    return actions.get(value.kind, " -x")


def _fish_quote(text: str) -> str:
    """In fish a backslash means something between single quotes too."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SCRIPTS: dict[str, Callable[[Sequence[CommandLine]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
