# 64-bit Arm Linux on an x86-64 host, with Debian's cross packages; what is built runs under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(lockstep_triple aarch64-linux-gnu)
set(lockstep_qemu qemu-aarch64 -cpu max,sve=off)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
