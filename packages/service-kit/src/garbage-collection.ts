import { setFlagsFromString } from 'node:v8';

/**
 * From now on V8 makes all objects where it looks for garbage often and cheaply. By itself it makes some among the old ones
 * at once, where those made at the same place of the code before had lived long: a guess that a service's first requests
 * can mislead, so that what each later request leaves behind waits for a collection of everything (ADR 23).
 */
export function startObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * From now on V8 collects everything once the old objects, and the buffers, take twice what was left of them. By itself it
 * does so after 8 MB more in a service that makes few old objects, which buffers take within a second or two (ADR 27).
 */
export function letOldObjectsDouble(): void {
  setFlagsFromString('--heap-growing-percent=100');
}
