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
# The libraries of reports as PDF.
libraries="$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null)"
case "$libraries" in *libpango-1.0.so.0*) ;; *) missing="$missing libpango-1.0-0" ;; esac
case "$libraries" in *libpangoft2-1.0.so.0*) ;; *) missing="$missing libpangoft2-1.0-0" ;; esac
case "$libraries" in *libharfbuzz-subset.so.0*) ;; *) missing="$missing libharfbuzz-subset0" ;; esac
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
