#!/usr/bin/env node
// Starts the program of the package of this platform. Where no other data is named and none is here, it serves the demo market of this
// package.
"use strict";
const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const platform = `${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "parquote.exe" : "parquote";
let program;
try {
    program = require.resolve(`@parquote/${platform}/bin/${file}`);
} catch {
    console.error(`parquote: the package @parquote/${platform} is not installed.`);
    console.error("Either there is none for this platform, or npm was told to leave out optional packages.");
    process.exit(1);
}

const given = process.argv.slice(2);
const environment = { ...process.env };
// These take PARQUOTE_DATA for a folder that they write to.
const isWriting = given.some((argument) => argument === "publish" || argument === "worker");
if (!environment.PARQUOTE_DATA && !existsSync("data/demo") && !isWriting) {
    environment.PARQUOTE_DATA = join(__dirname, "..", "demo");
}

// Node cannot replace its process, so this one passes signals on and ends as the program does.
const child = spawn(program, given, { stdio: "inherit", env: environment });
for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"]) {
    process.on(signal, () => {
        // Ctrl-C reaches the program without this script, and a second SIGINT would cut off requests that it is finishing.
        if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
}
child.on("error", (error) => {
    console.error(`parquote: ${program} cannot be started: ${error.message}`);
    process.exit(1);
});
child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
});
