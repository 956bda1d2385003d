// Loaded before a process: sockets fail as they do under a Linux without IPv6 (the kernel's option `ipv6.disable=1`).
const EAFNOSUPPORT = -97;
const { TCP } = (process as unknown as { binding(name: string): { TCP: { prototype: object } } }).binding('tcp_wrap');
Object.assign(TCP.prototype, { bind6: () => EAFNOSUPPORT });
