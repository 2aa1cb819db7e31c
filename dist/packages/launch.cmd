@echo off
rem Starts the program of this bundle. A chat app leaves the name of a setting that nobody has set: then it serves the demo market.
setlocal
set "demo=%~dp0..\share\parquote\demo"
if "%PARQUOTE_DATA%"=="" set "PARQUOTE_DATA=%demo%"
if "%PARQUOTE_DATA:~0,2%"=="${" set "PARQUOTE_DATA=%demo%"
"%~dp0..\lib\parquote\parquote.exe" %*
