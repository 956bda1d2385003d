// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// The types that openapi-typescript makes of /openapi.json; generated-client.test.ts keeps them true.
export interface paths {
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the account
         * @description The account that the key belongs to, and what the key may see.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or search links
         * @description One page of the links that the key may see, sorted, and searched where `q` is given.
         */
        get: operations["listLinks"];
        put?: never;
        /**
         * Create a link
         * @description Only `destination_url` is required. With `auto_meta`, a title and a description that are not sent are read from the destination page; what cannot be read in time stays null. `null` for an optional field is the same as not sending it.
         */
        post: operations["createLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/links/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the link, the `id` of a listed or created link.
                 * @example 019a4f0e8f2c7d31a4b6
                 */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get a link
         * @description One link of the account, if the key may see it.
         */
        get: operations["getLink"];
        /**
         * Update a link
         * @description Only the fields sent change. `null` or `""` empties `title`, `description` and `note`; `hashtags` replaces the whole list; an empty object changes nothing.
         */
        put: operations["updateLink"];
        post?: never;
        /**
         * Delete a link permanently
         * @description For good: the slug is free again and the link’s clicks leave the analytics.
         */
        delete: operations["deleteLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get analytics
         * @description Clicks, devices, traffic sources and top links of the links that the key may see.
         */
        get: operations["getAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The slug of the link, in any case. Query parameters are passed on to the destination.
                 * @example summer-sale
                 */
                slug: string;
            };
            cookie?: never;
        };
        /**
         * Follow a link
         * @description Counts as a click.
         */
        get: operations["followLink"];
        put?: never;
        /**
         * Follow a link with its password
         * @description What the form of the password page sends. The right password counts as the click.
         */
        post: operations["unlockLink"];
        delete?: never;
        options?: never;
        /**
         * See where a link leads
         * @description As GET without a body; counts nowhere.
         */
        head: operations["probeLink"];
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The account that the API key belongs to. */
        Account: {
            /**
             * @description The account’s user name.
             * @example ada
             */
            username: string;
            /**
             * @description The account’s plan.
             * @example developer
             * @enum {string}
             */
            plan: "free" | "starter" | "developer" | "business";
            /**
             * @description What the calling key may see: `full_access` every link, `public_links_only` public and unlisted links.
             * @example full_access
             * @enum {string}
             */
            key_scope: "full_access" | "public_links_only";
        };
        /** @description A short link. */
        Link: {
            /**
             * @description Identifier of the link, set by the service.
             * @example 019a4f0e8f2c7d31a4b6
             */
            id: string;
            /**
             * Format: slug
             * @description Short path of the link: letters, digits, `_` and `-`, not beginning with `_` or `-`; unique ignoring case; reserved words are refused. Generated when not given.
             * @example summer-sale
             */
            slug: string;
            /**
             * @description The short URL.
             * @example https://go.example/summer-sale
             */
            short_url: string;
            /**
             * Format: destination-url
             * @description Where the link leads: an absolute http or https URL with a host and without user info.
             * @example https://example.com/summer?ref=mail
             */
            destination_url: string;
            /**
             * Format: unicode
             * @description Title of the link.
             * @example Summer sale
             */
            title: string | null;
            /**
             * Format: unicode
             * @description Description of the link.
             * @example Everything must go.
             */
            description: string | null;
            /**
             * Format: unicode
             * @description Free-text note for the account’s own use; never shown to the public.
             * @example Printed on the July flyer.
             */
            note: string | null;
            /**
             * @description Tags of the link.
             * @example [
             *       "summer",
             *       "sale"
             *     ]
             */
            hashtags: string[];
            /**
             * @description Who can see and follow the link: `public`, `unlisted` (not for search engines), `private` (no redirect) or `password-protected`.
             * @example public
             * @enum {string}
             */
            visibility: "public" | "unlisted" | "private" | "password-protected";
            /**
             * @description All clicks so far; may lag by a few seconds.
             * @example 42
             */
            clicks: number;
            /**
             * @description When the link was last clicked.
             * @example 2026-11-21T09:30:00.000Z
             */
            last_clicked_at: string | null;
            /**
             * @description When the link was created.
             * @example 2026-11-01T08:00:00.000Z
             */
            created_at: string;
            /**
             * @description When the link was last changed.
             * @example 2026-11-02T10:15:30.000Z
             */
            updated_at: string;
        };
        /** @description One page of links. */
        LinkList: {
            /** @description The links of this page. */
            links: components["schemas"]["Link"][];
            /**
             * @description Number of this page.
             * @example 1
             */
            page: number;
            /**
             * @description Links on a page.
             * @example 25
             */
            per: number;
            /**
             * @description Links in all pages.
             * @example 137
             */
            total: number;
            /**
             * @description Number of pages.
             * @example 6
             */
            total_pages: number;
        };
        CreateLinkInput: {
            /**
             * Format: destination-url
             * @description Where the link leads: an absolute http or https URL with a host and without user info.
             * @example https://example.com/summer?ref=mail
             */
            destination_url: string;
            /**
             * Format: slug
             * @description Short path of the link: letters, digits, `_` and `-`, not beginning with `_` or `-`; unique ignoring case; reserved words are refused. Generated when not given.
             * @example summer-sale
             */
            slug?: string;
            /**
             * Format: unicode
             * @description Title of the link.
             * @example Summer sale
             */
            title?: string | null;
            /**
             * Format: unicode
             * @description Description of the link.
             * @example Everything must go.
             */
            description?: string | null;
            /**
             * Format: unicode
             * @description Free-text note for the account’s own use; never shown to the public.
             * @example Printed on the July flyer.
             */
            note?: string | null;
            /**
             * @description Tags of the link, at most 20: 1–50 letters, digits, `_` or `-` of any script each.
             * @example [
             *       "summer",
             *       "sale"
             *     ]
             */
            hashtags?: string[];
            /**
             * @description Who can see and follow the link: `public`, `unlisted` (not for search engines), `private` (no redirect) or `password-protected`.
             * @example public
             * @enum {string}
             */
            visibility?: "public" | "unlisted" | "private" | "password-protected";
            /**
             * Format: unicode
             * @description Password that visitors must give; sets visibility to `password-protected` when visibility is not sent, and is refused with any other.
             */
            password?: string;
            /** @description When true, a title and a description that are not sent are read from the destination page. Default: `false`. */
            auto_meta?: boolean;
        };
        UpdateLinkInput: {
            /**
             * Format: destination-url
             * @description Where the link leads: an absolute http or https URL with a host and without user info.
             * @example https://example.com/summer?ref=mail
             */
            destination_url?: string;
            /**
             * Format: slug
             * @description Short path of the link: letters, digits, `_` and `-`, not beginning with `_` or `-`; unique ignoring case; reserved words are refused. Generated when not given.
             * @example summer-sale
             */
            slug?: string;
            /**
             * Format: unicode
             * @description Title of the link.
             * @example Summer sale
             */
            title?: string | null;
            /**
             * Format: unicode
             * @description Description of the link.
             * @example Everything must go.
             */
            description?: string | null;
            /**
             * Format: unicode
             * @description Free-text note for the account’s own use; never shown to the public.
             * @example Printed on the July flyer.
             */
            note?: string | null;
            /**
             * @description Tags of the link, at most 20: 1–50 letters, digits, `_` or `-` of any script each.
             * @example [
             *       "summer",
             *       "sale"
             *     ]
             */
            hashtags?: string[];
            /**
             * @description Who can see and follow the link: `public`, `unlisted` (not for search engines), `private` (no redirect) or `password-protected`.
             * @example public
             * @enum {string}
             */
            visibility?: "public" | "unlisted" | "private" | "password-protected";
            /**
             * Format: unicode
             * @description Password that visitors must give; sets visibility to `password-protected` when visibility is not sent, and is refused with any other.
             */
            password?: string;
        };
        /** @description Clicks, devices, traffic sources and top links of a window of days. */
        Analytics: {
            /**
             * @description Length of the window in days.
             * @example 30
             */
            days: number;
            /**
             * @description The source that was asked for, or null.
             * @example null
             */
            source: string | null;
            /**
             * @description Time zone of the days.
             * @example UTC
             */
            tz: string;
            /**
             * @description First day of the window.
             * @example 2026-11-21
             */
            from: string;
            /**
             * @description Last day of the window: today.
             * @example 2026-11-21
             */
            to: string;
            /**
             * @description All clicks in the window.
             * @example 1234
             */
            clicks: number;
            /** @description Every day of the window, oldest first, zeros included. */
            clicks_by_day: {
                /**
                 * @description The day.
                 * @example 2026-11-21
                 */
                date: string;
                /**
                 * @description Number of clicks.
                 * @example 12
                 */
                clicks: number;
            }[];
            /** @description Clicks by device, most first. */
            devices: {
                /**
                 * @description Kind of device.
                 * @enum {string}
                 */
                device: "desktop" | "mobile" | "tablet" | "other";
                /**
                 * @description Number of clicks.
                 * @example 12
                 */
                clicks: number;
            }[];
            /** @description Clicks by traffic source, most first; `direct` where there is none. */
            sources: {
                /**
                 * @description Name of the traffic source.
                 * @example google.com
                 */
                source: string;
                /**
                 * @description Number of clicks.
                 * @example 12
                 */
                clicks: number;
            }[];
            /** @description The most clicked links. */
            top_links: {
                /** @description Identifier of the link. */
                id: string;
                /** @description Short path of the link. */
                slug: string;
                /** @description The short URL. */
                short_url: string;
                /**
                 * Format: unicode
                 * @description Title of the link.
                 */
                title: string | null;
                /** @description Where the link leads. */
                destination_url: string;
                /**
                 * @description Number of clicks.
                 * @example 12
                 */
                clicks: number;
            }[];
        };
        /** @description Every error answer: exactly one field. */
        Error: {
            /** @description What is wrong, in one sentence that a person can act on. */
            error: string;
        };
    };
    responses: {
        /** @description The key is missing, malformed, unknown or revoked. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The account’s plan, or the key’s scope, does not allow it. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such link, or this key may not see it. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is over 64 KiB. */
        TooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A value is not valid: the message names the field, what was sent and what is allowed. */
        Invalid: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key’s requests of this minute are used up, or the address sent too many without a valid key. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Something failed on the service’s side. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A database or a service behind is down for the moment. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Identifies the request in the service’s logs: the client’s own id where it sent a sane one.
         * @example 0b8f1c52-7f0e-4c07-9a8c-1d7f0c8a2f5e
         */
        "X-Request-Id": string;
        /**
         * @description What is left: the requests that may still be made (`r`) in the seconds until the limit resets (`t`).
         * @example "key";r=599;t=60
         */
        RateLimit: string;
        /**
         * @description The limit: requests (`q`) in a window of seconds (`w`).
         * @example "key";q=600;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Seconds after which a retry makes sense.
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description How to authenticate.
         * @example Bearer
         */
        "WWW-Authenticate": string;
        /**
         * @description A redirect is never cached, so that every click is counted and a change is seen.
         * @example no-store
         */
        "Cache-Control": string;
        /**
         * @description `noindex` where the link is unlisted.
         * @example noindex
         */
        "X-Robots-Tag": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "username": "ada",
                     *       "plan": "developer",
                     *       "key_scope": "full_access"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listLinks: {
        parameters: {
            query?: {
                /**
                 * @description Search terms, split at white space; every term must occur, ignoring case, in slug, title, destination URL, description, note or a hashtag. Every character is literal.
                 * @example summer
                 */
                q?: string;
                /** @description Page number, from 1. */
                page?: number;
                /** @description Links on a page. */
                per?: number;
                /** @description Field to sort by; ties are broken by id. */
                sort?: "created_at" | "updated_at" | "title" | "slug" | "clicks";
                /** @description Direction of the sort. */
                dir?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of links. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description Addresses of the first, previous, next and last page (RFC 8288).
                     * @example <https://go.example/api/v1/links?page=2>; rel="next"
                     */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": [
                     *         {
                     *           "id": "019a4f0e8f2c7d31a4b6",
                     *           "slug": "summer-sale",
                     *           "short_url": "https://go.example/summer-sale",
                     *           "destination_url": "https://example.com/summer?ref=mail",
                     *           "title": "Summer sale",
                     *           "description": "Everything must go.",
                     *           "note": "Printed on the July flyer.",
                     *           "hashtags": [
                     *             "summer",
                     *             "sale"
                     *           ],
                     *           "visibility": "public",
                     *           "clicks": 42,
                     *           "last_clicked_at": "2026-11-21T09:30:00.000Z",
                     *           "created_at": "2026-11-01T08:00:00.000Z",
                     *           "updated_at": "2026-11-02T10:15:30.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "per": 25,
                     *       "total": 1,
                     *       "total_pages": 1
                     *     }
                     */
                    "application/json": components["schemas"]["LinkList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the same key and body within 24 hours give the first answer again, the same key with another body is refused. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateLinkInput"];
            };
        };
        responses: {
            /** @description The new link. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description Path of the new link.
                     * @example /api/v1/links/019a4f0e8f2c7d31a4b6
                     */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a4f0e8f2c7d31a4b6",
                     *       "slug": "summer-sale",
                     *       "short_url": "https://go.example/summer-sale",
                     *       "destination_url": "https://example.com/summer?ref=mail",
                     *       "title": "Summer sale",
                     *       "description": "Everything must go.",
                     *       "note": "Printed on the July flyer.",
                     *       "hashtags": [
                     *         "summer",
                     *         "sale"
                     *       ],
                     *       "visibility": "public",
                     *       "clicks": 42,
                     *       "last_clicked_at": "2026-11-21T09:30:00.000Z",
                     *       "created_at": "2026-11-01T08:00:00.000Z",
                     *       "updated_at": "2026-11-02T10:15:30.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Link"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the link, the `id` of a listed or created link.
                 * @example 019a4f0e8f2c7d31a4b6
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a4f0e8f2c7d31a4b6",
                     *       "slug": "summer-sale",
                     *       "short_url": "https://go.example/summer-sale",
                     *       "destination_url": "https://example.com/summer?ref=mail",
                     *       "title": "Summer sale",
                     *       "description": "Everything must go.",
                     *       "note": "Printed on the July flyer.",
                     *       "hashtags": [
                     *         "summer",
                     *         "sale"
                     *       ],
                     *       "visibility": "public",
                     *       "clicks": 42,
                     *       "last_clicked_at": "2026-11-21T09:30:00.000Z",
                     *       "created_at": "2026-11-01T08:00:00.000Z",
                     *       "updated_at": "2026-11-02T10:15:30.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Link"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the link, the `id` of a listed or created link.
                 * @example 019a4f0e8f2c7d31a4b6
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Winter sale",
                 *       "hashtags": [
                 *         "winter",
                 *         "sale"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UpdateLinkInput"];
            };
        };
        responses: {
            /** @description The link as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a4f0e8f2c7d31a4b6",
                     *       "slug": "summer-sale",
                     *       "short_url": "https://go.example/summer-sale",
                     *       "destination_url": "https://example.com/summer?ref=mail",
                     *       "title": "Winter sale",
                     *       "description": "Everything must go.",
                     *       "note": "Printed on the July flyer.",
                     *       "hashtags": [
                     *         "winter",
                     *         "sale"
                     *       ],
                     *       "visibility": "public",
                     *       "clicks": 42,
                     *       "last_clicked_at": "2026-11-21T09:30:00.000Z",
                     *       "created_at": "2026-11-01T08:00:00.000Z",
                     *       "updated_at": "2026-11-02T10:15:30.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Link"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the link, the `id` of a listed or created link.
                 * @example 019a4f0e8f2c7d31a4b6
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link is deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAnalytics: {
        parameters: {
            query?: {
                /** @description Length of the window in whole days, today included. */
                days?: number;
                /**
                 * @description IANA time zone whose midnights begin and end the days.
                 * @example Europe/Berlin
                 */
                tz?: string;
                /**
                 * @description Count only clicks from this source, a name that `sources` reports.
                 * @example google.com
                 */
                source?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The analytics of the window. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "days": 3,
                     *       "source": null,
                     *       "tz": "UTC",
                     *       "from": "2026-11-19",
                     *       "to": "2026-11-21",
                     *       "clicks": 42,
                     *       "clicks_by_day": [
                     *         {
                     *           "date": "2026-11-19",
                     *           "clicks": 12
                     *         },
                     *         {
                     *           "date": "2026-11-20",
                     *           "clicks": 0
                     *         },
                     *         {
                     *           "date": "2026-11-21",
                     *           "clicks": 30
                     *         }
                     *       ],
                     *       "devices": [
                     *         {
                     *           "device": "mobile",
                     *           "clicks": 30
                     *         },
                     *         {
                     *           "device": "desktop",
                     *           "clicks": 12
                     *         }
                     *       ],
                     *       "sources": [
                     *         {
                     *           "source": "google.com",
                     *           "clicks": 40
                     *         },
                     *         {
                     *           "source": "direct",
                     *           "clicks": 2
                     *         }
                     *       ],
                     *       "top_links": [
                     *         {
                     *           "id": "019a4f0e8f2c7d31a4b6",
                     *           "slug": "summer-sale",
                     *           "short_url": "https://go.example/summer-sale",
                     *           "title": "Summer sale",
                     *           "destination_url": "https://example.com/summer?ref=mail",
                     *           "clicks": 42
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Analytics"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    followLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The slug of the link, in any case. Query parameters are passed on to the destination.
                 * @example summer-sale
                 */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link needs a password: a page that asks for it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description To the destination. */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Robots-Tag": components["headers"]["X-Robots-Tag"];
                    /**
                     * @description The destination, with the query parameters of the short URL added.
                     * @example https://example.com/summer?ref=mail
                     */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no such link to follow: a page for a browser (`Accept: text/html`), JSON for others. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Link not found."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    unlockLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The slug of the link, in any case. Query parameters are passed on to the destination.
                 * @example summer-sale
                 */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    password: string;
                };
            };
        };
        responses: {
            /** @description The password was right: to the destination. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Robots-Tag": components["headers"]["X-Robots-Tag"];
                    /**
                     * @description The destination, with the query parameters of the short URL added.
                     * @example https://example.com/summer?ref=mail
                     */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The password was wrong: the page again. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description There is no such link to follow: a page for a browser (`Accept: text/html`), JSON for others. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Link not found."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            /** @description Too many wrong passwords: a page for a browser (`Accept: text/html`), JSON for others. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Too many wrong passwords for this link; try again later."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    probeLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The slug of the link, in any case. Query parameters are passed on to the destination.
                 * @example summer-sale
                 */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link needs a password: a page that asks for it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description To the destination. */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Robots-Tag": components["headers"]["X-Robots-Tag"];
                    /**
                     * @description The destination, with the query parameters of the short URL added.
                     * @example https://example.com/summer?ref=mail
                     */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no such link to follow: a page for a browser (`Accept: text/html`), JSON for others. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Link not found."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
}
