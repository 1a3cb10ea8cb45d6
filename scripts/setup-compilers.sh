#!/bin/sh
# Installs the compilers and libraries with which the tests build the SDKs of Go and C, if no confirmation is needed: as
# root on a Debian-like system.
set -eu

packages='golang-go gcc g++ clang libclang-rt-dev libc6-dev cmake make pkg-config libcurl4-openssl-dev libsodium-dev mono-mcs mono-runtime fp-compiler gcc-mingw-w64-x86-64-posix'
has_all() {
  for program in go gcc g++ clang cmake pkg-config mcs mono fpc x86_64-w64-mingw32-gcc-posix; do command -v "$program" >/dev/null 2>&1 || return 1; done
  pkg-config --exists libcurl libsodium && ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-* >/dev/null 2>&1
}
has_all && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "Installing for the tests: $packages."
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086 # Several packages, one word each.
  if apt-get update -qq && apt-get install -y -qq --no-install-recommends $packages >/dev/null; then exit 0; fi
fi

echo "The suite \`native\` will fail. Install its programs with \`sudo apt-get install $packages\`." >&2
