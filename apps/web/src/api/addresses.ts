/**
 * The origins of the API and of short URLs. The gateway writes both into the page. The server of `dev` does not, and is
 * both.
 */
export const { apiUrl = location.origin, publicUrl = location.origin } = document.documentElement.dataset;
