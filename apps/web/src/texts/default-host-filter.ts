/** The value of the API's filter `host` for the default host. */
export const DEFAULT_HOST_FILTER = 'default';
