"""The bundle for desktop chats (MCPB, manifest 0.3): `parquote mcp` over standard input and output, with the demo market unless a folder
is chosen.
"""

import json

from archives import Entry, write_zip
from npm import platform
from project import DESCRIPTION, LICENSE, NAME, REPOSITORY, ROOT, VERSION
from tree import tree


def manifest(program):
    """Returns the manifest of the bundle."""
    system, _ = platform(program.target)
    if system == "win32":
        # An app can start a script of the command interpreter only through it.
        script, command, args = "bin/parquote.cmd", "cmd.exe", ["/d", "/c", "${__dirname}\\bin\\parquote.cmd", "mcp"]
    else:
        script, command, args = "bin/parquote", "${__dirname}/bin/parquote", ["mcp"]
    return {
        "manifest_version": "0.3",
        "name": NAME,
        "display_name": "Parquote",
        "version": VERSION,
        "description": DESCRIPTION,
        "long_description": "Answers questions about Indian (NSE, BSE) and US (NYSE, NASDAQ) equities from Parquet files on this machine: "
        "prices, relative strength, scans, breadth, sectors, results and charts. Without a folder of your own it answers from the demo "
        "market, in which everything is fictional. No data leaves this machine except the answers in your chat.",
        "author": {"name": "Parquote", "url": REPOSITORY},
        "repository": {"type": "git", "url": REPOSITORY},
        "support": f"{REPOSITORY}/issues",
        "license": LICENSE,
        "keywords": ["stocks", "nse", "bse", "nyse", "nasdaq", "parquet"],
        "server": {
            "type": "binary",
            "entry_point": script,
            "mcp_config": {
                "command": command,
                "args": args,
                "env": {
                    "PARQUOTE_DATA": "${user_config.data}",
                    "PARQUOTE_TOOLSETS": "${user_config.toolsets}",
                    # The app may start it in a folder that it cannot write to.
                    "PARQUOTE_CACHE": "${HOME}/.cache/parquote",
                },
            },
        },
        "tools_generated": True,
        "prompts_generated": True,
        "compatibility": {"platforms": [system]},
        "user_config": {
            "data": {
                "type": "directory",
                "title": "Data",
                "description": "The folder of your tables, with india and us in it. Empty: the fictional demo market.",
                "required": False,
            },
            "toolsets": {
                "type": "string",
                "title": "Tools",
                "description": "chat: a few tools that answer questions. Or groups of single operations, such as core,market,us.",
                "required": False,
                "default": "chat",
            },
        },
    }


def write(program, out, level):
    """Writes the bundle and returns its path."""
    entries = [Entry("manifest.json", json.dumps(manifest(program), indent=2) + "\n"), Entry("LICENSE", ROOT / "LICENSE")]
    path = out / f"{NAME}-{VERSION}-{'-'.join(platform(program.target))}.mcpb"
    write_zip(path, entries + tree(program, ""), level)
    return [path]
