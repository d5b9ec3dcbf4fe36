#!/bin/sh
# Install what the tests need from the system: as root on Debian with apt, else say what will be skipped.
missing=""
command -v mariadbd >/dev/null 2>&1 || [ -x /usr/sbin/mariadbd ] || missing="$missing mariadb-server"
command -v java >/dev/null 2>&1 || [ -x "$JAVA_HOME/bin/java" ] || missing="$missing default-jre-headless"
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
command -v nginx >/dev/null 2>&1 || [ -x /usr/sbin/nginx ] || missing="$missing nginx"
command -v strace >/dev/null 2>&1 || missing="$missing strace"
command -v zsh >/dev/null 2>&1 || missing="$missing zsh"
command -v fish >/dev/null 2>&1 || missing="$missing fish"
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >/dev/null 2>&1
    # shellcheck disable=SC2086
    apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 && exit 0
    echo "not installed:$missing (apt-get failed); tests that need them are skipped"
else
    echo "not installed:$missing (Debian: apt-get install$missing); tests that need them are skipped"
fi
