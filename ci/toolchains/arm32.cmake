# 32-bit Arm Linux (hard float) on an x86-64 host, with Debian's cross packages; what is built runs under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR armv7l)
set(lockstep_triple arm-linux-gnueabihf)
set(lockstep_qemu qemu-arm -cpu max)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
