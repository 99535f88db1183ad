# Big-endian Linux on an x86-64 host: for the order of bytes.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(lockstep_triple s390x-linux-gnu)
set(lockstep_qemu qemu-s390x)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
