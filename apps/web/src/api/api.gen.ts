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
    "/api/v1/me/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys of the account
         * @description The API keys that work, without the keys themselves. Needs a session.
         */
        get: operations["listKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/keys/{scope}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which of the two keys.
                 * @example full_access
                 */
                scope: components["schemas"]["KeyScope"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a key
         * @description Creates a key of this scope. The old one, if there is one, stops working within 5 seconds. Needs a session.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/keys/{scope}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which of the two keys.
                 * @example full_access
                 */
                scope: components["schemas"]["KeyScope"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description The key stops working within 5 seconds. Needs a session.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to add a passkey
         * @description The options to create a passkey with. Their challenge works once, for 5 minutes. Needs a session.
         */
        post: operations["createPasskeyOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the passkeys of the account
         * @description The passkeys with which its owner signs in. Needs a session.
         */
        get: operations["listPasskeys"];
        put?: never;
        /**
         * Add a passkey
         * @description Adds the passkey that the browser created with the options. An account can have 20. Needs a session.
         */
        post: operations["addPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/passkeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the passkey.
                 * @example aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
                 */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a passkey
         * @description Nobody signs in with it any more. Sessions that it began go on. Needs a session.
         */
        delete: operations["deletePasskey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description Exchanges the token of a sign-in link for a session, which ends 12 hours after its last use, and after 7 days at the latest. A token works once, for 15 minutes. One that does not work counts as a failed authentication of the address. No key is needed, and none is read.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to sign in with a passkey
         * @description The options to ask a browser for a passkey with. Their challenge works once, for 5 minutes. No key is needed, and none is read.
         */
        post: operations["createSignInOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a passkey
         * @description Exchanges a challenge that a passkey has signed for a session of its account. Anything wrong counts as a failed authentication of the address. No key is needed, and none is read.
         */
        post: operations["createPasskeySession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Sign out
         * @description Ends the session of the request everywhere within 5 seconds. Needs a session.
         */
        delete: operations["deleteCurrentSession"];
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
         * @description One page of the links that the key may see, sorted, and searched if `q` is given.
         */
        get: operations["listLinks"];
        put?: never;
        /**
         * Create a link
         * @description Only `destination_url` is required. With `auto_meta`, a title and a description that are not sent are read from the destination page; they stay null if it cannot be read in time. `null` for an optional field is the same as not sending it.
         */
        post: operations["createLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/links/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create, update and delete many links
         * @description Each operation is done in order, as its own request would be, and counts as one for the rate limit. One that fails, also a malformed one, stops no other. If the key has too few requests left, the whole is refused and nothing is done. Reading pages for `auto_meta` takes 3 seconds for the whole. `fields` limits the links of the results. An `Idempotency-Key` covers the whole.
         */
        post: operations["bulkEditLinks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/links/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export links
         * @description All links that the key may see and that the filters select, oldest first, with every field. Archived links are excluded unless `archived` is `any` or `true`. In CSV a cell that a spreadsheet would run as a formula begins with an apostrophe, and hashtags are separated by commas. An account can run two exports at a time on each replica; a further one is 429.
         */
        get: operations["exportLinks"];
        put?: never;
        post?: never;
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
                 * @description The link: its `id`, its short URL or, on the default host, its slug, the last two in any case.
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
         * @description Only the fields sent change. `null` or `""` empties `title`, `description`, `note`, `expires_at` and `expired_url`; `hashtags` replaces the whole list, `null` empties it; an empty object changes nothing.
         */
        put: operations["updateLink"];
        post?: never;
        /**
         * Delete a link permanently
         * @description This cannot be undone: the slug is free again, and the link’s clicks leave the analytics.
         */
        delete: operations["deleteLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/links/{id}/qr": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The link: its `id`, its short URL or, on the default host, its slug, the last two in any case.
                 * @example 019a4f0e8f2c7d31a4b6
                 */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get the QR code of a link
         * @description The QR code of the short URL, black on white. It may be cached for a day.
         */
        get: operations["getQrCode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hashtags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List hashtags
         * @description The hashtags of the links that the key may see and that are not archived, most links first, then by name, at most 1,000.
         */
        get: operations["listHashtags"];
        put?: never;
        post?: never;
        delete?: never;
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
    "/api/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs
         * @description The jobs of the last 30 days, newest first, at most 1,000. A Public Links Only key gets its own, all others those of the account.
         */
        get: operations["listJobs"];
        put?: never;
        /**
         * Edit or delete all links of a filter
         * @description Works on exactly the links that the filter finds as the job begins. It acts as the key that began it. `change` is for an edit: it sets fields, then replaces, removes and adds hashtags, then replaces the host. The response waits up to 4 seconds for the end of the job. One job of an account runs at a time, and 20 may wait. A job counts as one request.
         */
        post: operations["startJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import a file of links
         * @description Creates the links of a file of at most 64 MiB: an export of Waymark, Bitly, Dub, Kutt, Shlink or YOURLS, or another file whose columns are known by their names or by `columns`. Slugs and creation times are kept, and what is there is not changed. A row is `unchanged` if it made a link before that is still there, or if its slug leads to its destination on a link that the key sees. A file that is not understood is 422, and creates nothing.
         */
        post: operations["startImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the job.
                 * @example 019a4f0e8f2c7d31a4c9
                 */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get a job
         * @description One job, if the key may see it.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/refused": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the job.
                 * @example 019a4f0e8f2c7d31a4c9
                 */
                id: string;
            };
            cookie?: never;
        };
        /**
         * List what a job refused
         * @description The links that were refused so far, each with its reason: a CSV with the columns `id` (or `row` for an import) and `reason`. A Public Links Only key gets those that it still sees.
         */
        get: operations["listRefused"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the job.
                 * @example 019a4f0e8f2c7d31a4c9
                 */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job
         * @description Ends the job at once. What it did stays. A job that is over is 422.
         */
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the job.
                 * @example 019a4f0e8f2c7d31a4c9
                 */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a job
         * @description Begins a job that restores each field that an edit changed and that nobody changed since, or deletes the links that an import created and nobody changed since. It works once, until `undo_until`. A deletion cannot be undone.
         */
        post: operations["undoJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hosts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the short hosts of the account
         * @description All short hosts of the account, verified or not. Every key may read them.
         */
        get: operations["listHosts"];
        put?: never;
        /**
         * Add a short host
         * @description The host is pending until its TXT record is in DNS and was found. An account can have 100. Needs a Full Access key or a session.
         */
        post: operations["addHost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hosts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the host.
                 * @example 019a4f0e8fp6q4w0x2b7
                 */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get a short host
         * @description One short host of the account. Every key may read it.
         */
        get: operations["getHost"];
        /**
         * Change a short host
         * @description Only the fields that are sent change. Needs a Full Access key or a session.
         */
        put: operations["updateHost"];
        post?: never;
        /**
         * Delete a short host
         * @description A host that links use is 422. Needs a Full Access key or a session.
         */
        delete: operations["deleteHost"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hosts/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the host.
                 * @example 019a4f0e8fp6q4w0x2b7
                 */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look for the TXT record of a short host
         * @description Looks for the record now and returns the host as it is then. If DNS gives no clear answer, nothing changes, `checked_at` neither. 422 if another account has the host and its record is still there. At most 10 times a minute for each host. Needs a Full Access key or a session.
         */
        post: operations["verifyHost"];
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
                 * @description The slug of the link, in upper or lower case. Query parameters are added to the destination if the query has at most 2,048 characters.
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
         * @description The password page’s form sends this. A request with the right password is counted as a click.
         */
        post: operations["unlockLink"];
        delete?: never;
        options?: never;
        /**
         * See where a link redirects to
         * @description Like GET, but without a body; it is not counted as a click.
         */
        head: operations["probeLink"];
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description What a key may see.
         * @enum {string}
         */
        KeyScope: "full_access" | "public_links_only";
        /**
         * @description Who can see and follow a link.
         * @enum {string}
         */
        Visibility: "public" | "unlisted" | "private" | "password-protected";
        /**
         * @description What the top links lead by.
         * @enum {string}
         */
        TopBy: "clicks" | "growth" | "decline";
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
             */
            key_scope: components["schemas"]["KeyScope"];
        };
        /** @description An API key, without the key itself. */
        AccountKey: {
            /**
             * @description What the key may see.
             * @example full_access
             */
            scope: components["schemas"]["KeyScope"];
            /**
             * Format: unicode
             * @description `…` and the last 4 characters of the key. Null for a key that is older than this field.
             * @example …x9Kd
             */
            hint: string | null;
            /**
             * @description When the key was created.
             * @example 2026-11-01T09:00:00.000Z
             */
            created_at: string;
            /**
             * @description A time at which a request was sent with the key, also one that was refused. Null if it was never used. The latest such request may be up to 65 seconds later than this.
             * @example 2026-11-21T16:40:12.000Z
             */
            last_used_at: string | null;
        };
        /** @description The API keys of the account. */
        AccountKeys: {
            /** @description The keys that work, Full Access first. A revoked key is not in the list. */
            keys: components["schemas"]["AccountKey"][];
        };
        /** @description A new API key. */
        NewKey: {
            /**
             * @description The new key. It is shown only here.
             * @example key_live_0000000000000000000000000000000000000000
             */
            key: string;
        };
        /** @description A passkey, with which its owner signs in. */
        Passkey: {
            /**
             * @description Identifies the passkey.
             * @example aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
             */
            id: string;
            /**
             * @description Its name.
             * @example Laptop
             */
            name: string;
            /**
             * @description When it was added.
             * @example 2026-11-01T09:00:00.000Z
             */
            created_at: string;
            /**
             * @description When it was last used to sign in. Null if it never was.
             * @example 2026-11-21T16:40:12.000Z
             */
            last_used_at: string | null;
        };
        /** @description The passkeys of the account. */
        Passkeys: {
            /** @description The passkeys, oldest first. */
            passkeys: components["schemas"]["Passkey"][];
        };
        /**
         * @description What `PublicKeyCredential.parseCreationOptionsFromJSON` reads: the options for `navigator.credentials.create`.
         * @example {
         *       "challenge": "AZrgT46PLH0xpLY",
         *       "rp": {
         *         "name": "Waymark",
         *         "id": "go.example"
         *       },
         *       "user": {
         *         "id": "MDE5YTRmMGU4ZjJj",
         *         "name": "ada",
         *         "displayName": "ada"
         *       },
         *       "pubKeyCredParams": [
         *         {
         *           "alg": -7,
         *           "type": "public-key"
         *         }
         *       ]
         *     }
         */
        PasskeyCreationOptions: {
            [key: string]: unknown;
        };
        /** @description A new passkey. */
        AddPasskeyInput: {
            /**
             * Format: unicode
             * @description A name to tell it from others.
             * @example Laptop
             */
            name: string;
            /**
             * @description The credential that `navigator.credentials.create` returned, as its `toJSON()` writes it.
             * @example {
             *       "id": "rZ3f0b7Wq1s",
             *       "rawId": "rZ3f0b7Wq1s",
             *       "type": "public-key",
             *       "response": {
             *         "clientDataJSON": "eyJ0eXBlIjoi",
             *         "attestationObject": "o2NmbXRkbm9uZQ"
             *       },
             *       "clientExtensionResults": {}
             *     }
             */
            response: {
                [key: string]: unknown;
            };
        };
        /**
         * @description What `PublicKeyCredential.parseRequestOptionsFromJSON` reads: the options for `navigator.credentials.get`.
         * @example {
         *       "challenge": "AZrgT46PLH0xpLY",
         *       "rpId": "go.example",
         *       "userVerification": "required"
         *     }
         */
        PasskeyRequestOptions: {
            [key: string]: unknown;
        };
        /** @description A signed challenge, to exchange for a session. */
        PasskeySignInInput: {
            /**
             * @description The credential that `navigator.credentials.get` returned, as its `toJSON()` writes it.
             * @example {
             *       "id": "rZ3f0b7Wq1s",
             *       "rawId": "rZ3f0b7Wq1s",
             *       "type": "public-key",
             *       "response": {
             *         "clientDataJSON": "eyJ0eXBlIjoi",
             *         "signature": "MEUCIQ"
             *       },
             *       "clientExtensionResults": {}
             *     }
             */
            response: {
                [key: string]: unknown;
            };
        };
        /** @description A sign-in token, to exchange for a session. */
        CreateSessionInput: {
            /**
             * Format: unicode
             * @description The token of a sign-in link: what follows `#token=`. It works once, for 15 minutes.
             * @example signin_0000000000000000000000000000000000000000
             */
            token: string;
        };
        /** @description A session of the dashboard. */
        Session: {
            /**
             * @description The Bearer token of the session. It is shown only here.
             * @example sess_0000000000000000000000000000000000000000
             */
            token: string;
            /**
             * @description When the session ends if it is not used: 12 hours after it began. Each use moves the end to 12 hours later, and to at most 7 days after the beginning.
             * @example 2026-11-21T21:00:00.000Z
             */
            expires_at: string;
        };
        /** @description A short link. */
        Link: {
            /**
             * @description Identifier of the link, set by the service.
             * @example 019a4f0e8f2c7d31a4b6
             */
            id: string;
            /**
             * @description The short host of the link, or null for the default host.
             * @example null
             */
            host: string | null;
            /**
             * Format: slug
             * @description Short path of the link: letters, digits, `_` and `-`, not beginning with `_` or `-`; unique on its host, ignoring case; reserved words are refused. Generated when not given.
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
             * @description The URL that the link redirects to: an absolute http or https URL with a host, without user info, and not a short URL of this service.
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
             */
            visibility: components["schemas"]["Visibility"];
            /**
             * @description From this moment on, visitors get `expired_url` or a page that says that the link has expired.
             * @example 2027-09-01T00:00:00.000Z
             */
            expires_at: string | null;
            /**
             * Format: optional-destination-url
             * @description The URL that an expired link redirects to. It has the rules of `destination_url`.
             * @example https://example.com/autumn
             */
            expired_url: string | null;
            /**
             * @description An archived link is not listed unless asked for. It still redirects.
             * @example false
             */
            archived: boolean;
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
            links: components["schemas"]["ListedLink"][];
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
        /** @description A short link, or some of its fields. */
        ListedLink: {
            /**
             * @description Identifier of the link, set by the service.
             * @example 019a4f0e8f2c7d31a4b6
             */
            id: string;
            /**
             * @description The short host of the link, or null for the default host.
             * @example null
             */
            host?: string | null;
            /**
             * Format: slug
             * @description Short path of the link: letters, digits, `_` and `-`, not beginning with `_` or `-`; unique on its host, ignoring case; reserved words are refused. Generated when not given.
             * @example summer-sale
             */
            slug?: string;
            /**
             * @description The short URL.
             * @example https://go.example/summer-sale
             */
            short_url?: string;
            /**
             * Format: destination-url
             * @description The URL that the link redirects to: an absolute http or https URL with a host, without user info, and not a short URL of this service.
             * @example https://example.com/summer?ref=mail
             */
            destination_url?: string;
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
             * @description Tags of the link.
             * @example [
             *       "summer",
             *       "sale"
             *     ]
             */
            hashtags?: string[];
            /**
             * @description Who can see and follow the link: `public`, `unlisted` (not for search engines), `private` (no redirect) or `password-protected`.
             * @example public
             */
            visibility?: components["schemas"]["Visibility"];
            /**
             * @description From this moment on, visitors get `expired_url` or a page that says that the link has expired.
             * @example 2027-09-01T00:00:00.000Z
             */
            expires_at?: string | null;
            /**
             * Format: optional-destination-url
             * @description The URL that an expired link redirects to. It has the rules of `destination_url`.
             * @example https://example.com/autumn
             */
            expired_url?: string | null;
            /**
             * @description An archived link is not listed unless asked for. It still redirects.
             * @example false
             */
            archived?: boolean;
            /**
             * @description All clicks so far; may lag by a few seconds.
             * @example 42
             */
            clicks?: number;
            /**
             * @description When the link was last clicked.
             * @example 2026-11-21T09:30:00.000Z
             */
            last_clicked_at?: string | null;
            /**
             * @description When the link was created.
             * @example 2026-11-01T08:00:00.000Z
             */
            created_at?: string;
            /**
             * @description When the link was last changed.
             * @example 2026-11-02T10:15:30.000Z
             */
            updated_at?: string;
        };
        CreateLinkInput: {
            /**
             * Format: destination-url
             * @description The URL that the link redirects to: an absolute http or https URL with a host, without user info, and not a short URL of this service.
             * @example https://example.com/summer?ref=mail
             */
            destination_url: string;
            /**
             * Format: short-host
             * @description The short host of the link: a verified host of the account. `null` or an empty text is the default host.
             * @example null
             */
            host?: string | null;
            /**
             * Format: slug
             * @description Short path of the link: letters, digits, `_` and `-`, not beginning with `_` or `-`; unique on its host, ignoring case; reserved words are refused. Generated when not given.
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
             * @description Tags of the link, at most 20: 1–50 letters, digits, `_` or `-` of any script each, and joiners between letters. `null` is the empty list.
             * @example [
             *       "summer",
             *       "sale"
             *     ]
             */
            hashtags?: string[] | null;
            /**
             * @description Who can see and follow the link: `public`, `unlisted` (not for search engines), `private` (no redirect) or `password-protected`.
             * @example public
             */
            visibility?: components["schemas"]["Visibility"];
            /**
             * Format: unicode
             * @description Password that visitors must enter; sets visibility to `password-protected` when visibility is not sent, and is refused with any other.
             */
            password?: string;
            /**
             * Format: expiry
             * @description From this moment on, visitors get `expired_url` or a page that says that the link has expired. RFC 3339, at most 100 years ahead; an empty text means never.
             * @example 2027-09-01T00:00:00Z
             */
            expires_at?: string | null;
            /**
             * Format: optional-destination-url
             * @description The URL that an expired link redirects to. It has the rules of `destination_url`.
             * @example https://example.com/autumn
             */
            expired_url?: string | null;
            /**
             * @description An archived link is not listed unless asked for. It still redirects.
             * @example false
             */
            archived?: boolean;
            /** @description When true, a title and a description that are not sent are read from the destination page. Default: `false`. */
            auto_meta?: boolean;
        };
        UpdateLinkInput: {
            /**
             * Format: destination-url
             * @description The URL that the link redirects to: an absolute http or https URL with a host, without user info, and not a short URL of this service.
             * @example https://example.com/summer?ref=mail
             */
            destination_url?: string;
            /**
             * Format: short-host
             * @description The short host of the link: a verified host of the account. `null` or an empty text is the default host.
             * @example null
             */
            host?: string | null;
            /**
             * Format: slug
             * @description Short path of the link: letters, digits, `_` and `-`, not beginning with `_` or `-`; unique on its host, ignoring case; reserved words are refused. Generated when not given.
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
             * @description Tags of the link, at most 20: 1–50 letters, digits, `_` or `-` of any script each, and joiners between letters. `null` is the empty list.
             * @example [
             *       "summer",
             *       "sale"
             *     ]
             */
            hashtags?: string[] | null;
            /**
             * @description Who can see and follow the link: `public`, `unlisted` (not for search engines), `private` (no redirect) or `password-protected`.
             * @example public
             */
            visibility?: components["schemas"]["Visibility"];
            /**
             * Format: unicode
             * @description Password that visitors must enter; sets visibility to `password-protected` when visibility is not sent, and is refused with any other.
             */
            password?: string;
            /**
             * Format: expiry
             * @description From this moment on, visitors get `expired_url` or a page that says that the link has expired. RFC 3339, at most 100 years ahead; an empty text means never.
             * @example 2027-09-01T00:00:00Z
             */
            expires_at?: string | null;
            /**
             * Format: optional-destination-url
             * @description The URL that an expired link redirects to. It has the rules of `destination_url`.
             * @example https://example.com/autumn
             */
            expired_url?: string | null;
            /**
             * @description An archived link is not listed unless asked for. It still redirects.
             * @example false
             */
            archived?: boolean;
        };
        /** @description If a link has the slug on the host, the fields of an update. If none has it, those of a creation: `destination_url` is required, null is the same as not sent, and `auto_meta` applies. */
        UpsertLinkInput: {
            /**
             * Format: slug
             * @description The slug that the link has, in any case, or gets: letters, digits, `_` and `-`, not beginning with `_` or `-`; reserved words are refused.
             * @example summer-sale
             */
            slug: string;
            /**
             * Format: destination-url
             * @description The URL that the link redirects to: an absolute http or https URL with a host, without user info, and not a short URL of this service.
             * @example https://example.com/summer?ref=mail
             */
            destination_url?: string;
            /**
             * Format: short-host
             * @description The short host of the link: a verified host of the account. `null` or an empty text is the default host.
             * @example null
             */
            host?: string | null;
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
             * @description Tags of the link, at most 20: 1–50 letters, digits, `_` or `-` of any script each, and joiners between letters. `null` is the empty list.
             * @example [
             *       "summer",
             *       "sale"
             *     ]
             */
            hashtags?: string[] | null;
            /**
             * @description Who can see and follow the link: `public`, `unlisted` (not for search engines), `private` (no redirect) or `password-protected`.
             * @example public
             */
            visibility?: components["schemas"]["Visibility"];
            /**
             * Format: unicode
             * @description Password that visitors must enter; sets visibility to `password-protected` when visibility is not sent, and is refused with any other.
             */
            password?: string;
            /**
             * Format: expiry
             * @description From this moment on, visitors get `expired_url` or a page that says that the link has expired. RFC 3339, at most 100 years ahead; an empty text means never.
             * @example 2027-09-01T00:00:00Z
             */
            expires_at?: string | null;
            /**
             * Format: optional-destination-url
             * @description The URL that an expired link redirects to. It has the rules of `destination_url`.
             * @example https://example.com/autumn
             */
            expired_url?: string | null;
            /**
             * @description An archived link is not listed unless asked for. It still redirects.
             * @example false
             */
            archived?: boolean;
            /** @description When true, a title and a description that are not sent are read from the destination page. Default: `false`. */
            auto_meta?: boolean;
        };
        BulkInput: {
            /** @description 1 to 100 operations, done in order. */
            operations: components["schemas"]["BulkOperation"][];
            /**
             * Format: link-fields
             * @description Only these fields of each link, separated by commas. `id` is always included.
             * @example slug,clicks
             */
            fields?: string;
        };
        /** @description One operation. */
        BulkOperation: components["schemas"]["CreateOperation"] | components["schemas"]["UpdateOperation"] | components["schemas"]["UpsertOperation"] | components["schemas"]["DeleteOperation"];
        /** @description Creates a link. */
        CreateOperation: {
            /**
             * @description Always `create`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            op: "create";
            link: components["schemas"]["CreateLinkInput"];
        };
        /** @description Changes a link. */
        UpdateOperation: {
            /**
             * @description Always `update`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            op: "update";
            /** @description The link to update or delete: its id, slug or short URL. */
            id: string;
            link: components["schemas"]["UpdateLinkInput"];
        };
        /** @description Changes the link that has the slug, or creates it. */
        UpsertOperation: {
            /**
             * @description Always `upsert`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            op: "upsert";
            link: components["schemas"]["UpsertLinkInput"];
        };
        /** @description Deletes a link for good. */
        DeleteOperation: {
            /**
             * @description Always `delete`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            op: "delete";
            /** @description The link to update or delete: its id, slug or short URL. */
            id: string;
        };
        /** @description The result of one operation. */
        BulkResult: {
            /**
             * @description 201 created, 200 updated, 204 deleted, or the status of an error.
             * @example 201
             */
            status: number;
            link?: components["schemas"]["ListedLink"];
            /** @description Why the operation failed. */
            error?: string;
        };
        /** @description The results of all operations. */
        BulkResults: {
            /** @description One result for each operation, in the same order. */
            results: components["schemas"]["BulkResult"][];
        };
        /** @description Work on many links that runs on the server. */
        Job: {
            /**
             * @description Identifier of the job.
             * @example 019a4f0e8f2c7d31a4c9
             */
            id: string;
            /**
             * @description What the job does.
             * @example edit
             * @enum {string}
             */
            kind: "edit" | "delete" | "import" | "undo";
            /**
             * @description Where the job is. `failed`: it could not go on, and what it did stays.
             * @example done
             * @enum {string}
             */
            state: "waiting" | "running" | "done" | "cancelled" | "failed";
            /**
             * @description True if the job only counts what it would do.
             * @example false
             */
            dry_run: boolean;
            /**
             * @description Links that were found as the job began, or rows of an import.
             * @example 137
             */
            matched: number;
            /**
             * @description Those that the job has dealt with so far: the sum of the next five.
             * @example 137
             */
            done: number;
            /**
             * @description Links that were created.
             * @example 0
             */
            created: number;
            /**
             * @description Links that were changed.
             * @example 130
             */
            changed: number;
            /**
             * @description Links that were deleted.
             * @example 0
             */
            deleted: number;
            /**
             * @description Links that were so already.
             * @example 5
             */
            unchanged: number;
            /**
             * @description Links that were refused, each with a reason in `/refused`.
             * @example 2
             */
            refused: number;
            /**
             * @description When the job was requested.
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * @description When the job was over.
             * @example 2026-11-21T09:30:02.250Z
             */
            finished_at: string | null;
            /**
             * @description Until when the job can be undone, or null if it cannot be.
             * @example 2026-11-22T09:30:02.250Z
             */
            undo_until: string | null;
            /**
             * @description Why the job failed. Absent if it did not.
             * @example The key that began this job was revoked.
             */
            notice?: string;
        };
        /** @description Jobs of the account. */
        JobList: {
            /** @description The jobs of the last 30 days, newest first. */
            jobs: components["schemas"]["Job"][];
        };
        /** @description The filters of the list, at least one, or `{"all":true}`. */
        JobFilter: {
            /**
             * @description Search terms, at most 10, split at white space; every term must occur, ignoring case (`strasse` finds `Straße`) and Unicode normalization, in slug, title, destination URL, description, note or a hashtag. Every character is literal, but a term that is `#` and a hashtag finds links that have exactly that hashtag, and a term that is a short URL of this service or of a short host of the account finds that link.
             * @example summer
             */
            q?: string;
            /**
             * Format: hashtag
             * @description Only links that have this hashtag.
             * @example summer
             */
            hashtag?: string;
            /** @description Only links of this visibility. */
            visibility?: components["schemas"]["Visibility"];
            /**
             * Format: domain
             * @description Only links to this host or one below it: `example.com` finds `shop.example.com`.
             * @example example.com
             */
            domain?: string;
            /**
             * @description Whether to list links that are not archived, that are, or all.
             * @enum {string}
             */
            archived?: "false" | "true" | "any";
            /**
             * Format: host
             * @description Only links on this short host; `default` for those on the default host.
             * @example default
             */
            host?: string;
            /**
             * Format: moment
             * @description Only links created before then: an RFC 3339 time, or a date for its beginning in UTC.
             * @example 2026-06-01
             */
            created_before?: string;
            /**
             * Format: moment
             * @description Only links created then or later: an RFC 3339 time, or a date for its beginning in UTC.
             * @example 2026-06-01
             */
            created_after?: string;
            /**
             * @description Only links that have expired by now, or only those that have not.
             * @enum {string}
             */
            expired?: "false" | "true";
            /**
             * Format: destination-url
             * @description Only links to exactly this URL.
             * @example https://example.com/summer?ref=mail
             */
            destination_url?: string;
            /**
             * Format: moment
             * @description Only links not clicked since then, those never clicked included: an RFC 3339 time, or a date for its beginning in UTC.
             * @example 2026-06-01
             */
            last_clicked_before?: string;
            /**
             * @description True, and no filter, for every link, archived ones too.
             * @example true
             */
            all?: boolean;
        };
        /** @description The fields of an update, and changes of hashtags and hosts. */
        JobChange: {
            /**
             * Format: destination-url
             * @description The URL that the link redirects to: an absolute http or https URL with a host, without user info, and not a short URL of this service.
             * @example https://example.com/summer?ref=mail
             */
            destination_url?: string;
            /**
             * Format: short-host
             * @description The short host of the link: a verified host of the account. `null` or an empty text is the default host.
             * @example null
             */
            host?: string | null;
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
             * @description Tags of the link, at most 20: 1–50 letters, digits, `_` or `-` of any script each, and joiners between letters. `null` is the empty list.
             * @example [
             *       "summer",
             *       "sale"
             *     ]
             */
            hashtags?: string[] | null;
            /**
             * @description Who can see and follow the link: `public`, `unlisted` (not for search engines), `private` (no redirect) or `password-protected`.
             * @example public
             */
            visibility?: components["schemas"]["Visibility"];
            /**
             * Format: expiry
             * @description From this moment on, visitors get `expired_url` or a page that says that the link has expired. RFC 3339, at most 100 years ahead; an empty text means never.
             * @example 2027-09-01T00:00:00Z
             */
            expires_at?: string | null;
            /**
             * Format: optional-destination-url
             * @description The URL that an expired link redirects to. It has the rules of `destination_url`.
             * @example https://example.com/autumn
             */
            expired_url?: string | null;
            /**
             * @description An archived link is not listed unless asked for. It still redirects.
             * @example false
             */
            archived?: boolean;
            /** @description Replaces a hashtag in the links that have it. */
            replace_hashtag?: {
                /**
                 * Format: hashtag
                 * @description The hashtag that is replaced.
                 * @example summer
                 */
                from: string;
                /**
                 * Format: hashtag
                 * @description The hashtag in its place.
                 * @example summer
                 */
                to: string;
            };
            /**
             * @description Hashtags to remove.
             * @example [
             *       "summer"
             *     ]
             */
            remove_hashtags?: string[];
            /**
             * @description Hashtags to add. A link that would have more than 20 is refused.
             * @example [
             *       "summer"
             *     ]
             */
            add_hashtags?: string[];
            /** @description Replaces the host of `destination_url` in the links that have it. The rest of it stays. */
            replace_host?: {
                /**
                 * Format: host
                 * @description The host that is replaced, exactly.
                 * @example old.example.com
                 */
                from: string;
                /**
                 * Format: host
                 * @description The host in its place.
                 * @example new.example.com
                 */
                to: string;
            };
        };
        JobInput: {
            /**
             * @description What to do with the links.
             * @example edit
             * @enum {string}
             */
            kind: "edit" | "delete";
            filter: components["schemas"]["JobFilter"];
            change?: components["schemas"]["JobChange"];
            /** @description True to count only, and change nothing. Default: `false`. */
            dry_run?: boolean;
        };
        /** @description The beginning of a file as an import would understand it. */
        ImportPreview: {
            /**
             * @description The service that exported the file; `auto` if only its columns are known.
             * @example bitly
             * @enum {string}
             */
            format: "auto" | "waymark" | "bitly" | "dub" | "kutt" | "shlink" | "yourls";
            /**
             * @description The column of each field.
             * @example {
             *       "destination_url": "Long URL",
             *       "title": "Title"
             *     }
             */
            columns: {
                [key: string]: string;
            };
            /** @description The first rows. */
            rows: {
                /**
                 * @description The line where the row begins.
                 * @example 2
                 */
                row: number;
                /** @description The link that would be created. */
                link?: {
                    /**
                     * Format: destination-url
                     * @description The URL that the link redirects to: an absolute http or https URL with a host, without user info, and not a short URL of this service.
                     * @example https://example.com/summer?ref=mail
                     */
                    destination_url: string;
                    /**
                     * Format: short-host
                     * @description The short host of the link: a verified host of the account. `null` or an empty text is the default host.
                     * @example null
                     */
                    host?: string | null;
                    /**
                     * Format: slug
                     * @description Short path of the link: letters, digits, `_` and `-`, not beginning with `_` or `-`; unique on its host, ignoring case; reserved words are refused. Generated when not given.
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
                     * @description Tags of the link, at most 20: 1–50 letters, digits, `_` or `-` of any script each, and joiners between letters. `null` is the empty list.
                     * @example [
                     *       "summer",
                     *       "sale"
                     *     ]
                     */
                    hashtags?: string[] | null;
                    /**
                     * @description Who can see and follow the link: `public`, `unlisted` (not for search engines), `private` (no redirect) or `password-protected`.
                     * @example public
                     */
                    visibility?: components["schemas"]["Visibility"];
                    /**
                     * Format: expiry
                     * @description From this moment on, visitors get `expired_url` or a page that says that the link has expired. RFC 3339, at most 100 years ahead; an empty text means never.
                     * @example 2027-09-01T00:00:00Z
                     */
                    expires_at?: string | null;
                    /**
                     * Format: optional-destination-url
                     * @description The URL that an expired link redirects to. It has the rules of `destination_url`.
                     * @example https://example.com/autumn
                     */
                    expired_url?: string | null;
                    /**
                     * @description An archived link is not listed unless asked for. It still redirects.
                     * @example false
                     */
                    archived?: boolean;
                    /**
                     * @description When the link was created.
                     * @example 2024-03-01T10:00:00.000Z
                     */
                    created_at?: string;
                };
                /**
                 * @description Why the row would be refused.
                 * @example "destination_url" is required.
                 */
                error?: string;
            }[];
            /**
             * @description The encoding that the file is read with, if nothing in it says which it is.
             * @example windows-1252
             * @enum {string}
             */
            encoding?: "windows-1252";
            /**
             * @description The columns of the file that are not imported, if there are any.
             * @example [
             *       "Engagements"
             *     ]
             */
            unused_columns?: string[];
        };
        /** @description A preview, or a job. */
        ImportAnswer: components["schemas"]["ImportPreview"] | components["schemas"]["Job"];
        /** @description Hashtags of links that are not archived. */
        HashtagList: {
            /**
             * @description The hashtags, most links first, then by name.
             * @example [
             *       {
             *         "hashtag": "sale",
             *         "links": 12,
             *         "clicks": 340
             *       }
             *     ]
             */
            hashtags: {
                /**
                 * @description The hashtag, without #.
                 * @example sale
                 */
                hashtag: string;
                /**
                 * @description Links that have it.
                 * @example 12
                 */
                links: number;
                /**
                 * @description All clicks on them so far.
                 * @example 340
                 */
                clicks: number;
            }[];
        };
        /** @description A short host of the account. */
        Host: {
            /**
             * @description Identifies the host.
             * @example 019a4f0e8fp6q4w0x2b7
             */
            id: string;
            /**
             * @description Its name in lower case; an international name in its ASCII form.
             * @example go.example.com
             */
            host: string;
            /**
             * @description `pending` until its TXT record was found, then `verified`; `lost` once the record was missing for 7 days, or another account has the host. Only a verified host redirects.
             * @example verified
             * @enum {string}
             */
            status: "pending" | "verified" | "lost";
            /**
             * @description The TXT record that proves that the host is the account’s.
             * @example {
             *       "name": "_waymark.go.example.com",
             *       "value": "waymark-3fk9x0m2v7q8r1t5w6y4z2b3"
             *     }
             */
            txt: {
                /**
                 * @description The name of the TXT record.
                 * @example _waymark.go.example.com
                 */
                name: string;
                /**
                 * @description The value of the TXT record.
                 * @example waymark-3fk9x0m2v7q8r1t5w6y4z2b3
                 */
                value: string;
            };
            /**
             * Format: optional-destination-url
             * @description Where `/` of the host redirects to. If it is null, `/` is a 404.
             * @example https://example.com/
             */
            root_url: string | null;
            /**
             * Format: optional-destination-url
             * @description Where everything redirects to that is a 404 otherwise.
             * @example null
             */
            not_found_url: string | null;
            /**
             * @description When DNS last answered whether the TXT record is there. Null before the first answer.
             * @example 2026-11-21T16:40:12.000Z
             */
            checked_at: string | null;
            /**
             * @description When it was added.
             * @example 2026-11-01T09:00:00.000Z
             */
            created_at: string;
        };
        /** @description The short hosts of the account. */
        Hosts: {
            /** @description The hosts, oldest first. */
            hosts: components["schemas"]["Host"][];
        };
        /** @description A new short host. */
        AddHostInput: {
            /**
             * Format: unicode
             * @description A host name with a dot, without scheme and port.
             * @example go.example.com
             */
            host: string;
        };
        /** @description The fields of a short host to change. */
        UpdateHostInput: {
            /**
             * Format: optional-destination-url
             * @description Where `/` of the host redirects to. If it is null, `/` is a 404. It has the rules of `destination_url`, and may not be on the host itself. Null or an empty text empties it.
             * @example https://example.com/
             */
            root_url?: string | null;
            /**
             * Format: optional-destination-url
             * @description Where everything redirects to that is a 404 otherwise. It has the rules of `destination_url`, and may not be on the host itself. Null or an empty text empties it.
             * @example https://example.com/not-found
             */
            not_found_url?: string | null;
        };
        /** @description Clicks, devices, traffic sources and top links of a window of days. */
        Analytics: {
            /**
             * @description Length of the window in days.
             * @example 30
             */
            days: number;
            /**
             * @description The requested source, or null.
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
             * @description Last day of the window.
             * @example 2026-11-21
             */
            to: string;
            /**
             * @description All clicks in the window.
             * @example 1234
             */
            clicks: number;
            /** @description Every day of the window, oldest first, including days without clicks. */
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
                /**
                 * @description Distinct visitors of the day, with `visitors`.
                 * @example 8
                 */
                visitors?: number;
            }[];
            /** @description Clicks by device, in descending order. */
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
            /** @description Clicks by traffic source, in descending order; `direct` if there is none. */
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
            /** @description The links that lead by `top_by`. */
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
                /** @description The URL that the link redirects to. */
                destination_url: string;
                /**
                 * @description Number of clicks.
                 * @example 12
                 */
                clicks: number;
                /**
                 * @description Clicks in the window before, with `previous`.
                 * @example 9
                 */
                previous_clicks?: number;
            }[];
            /**
             * @description Distinct visitors of each day, added up over the days. Exact for up to 10 million clicks; estimated for more.
             * @example 8
             */
            visitors?: number;
            /** @description Clicks by country, in descending order. */
            countries?: {
                /**
                 * @description ISO 3166-1 alpha-2, or null if unknown.
                 * @example DE
                 */
                country: string | null;
                /**
                 * @description Number of clicks.
                 * @example 12
                 */
                clicks: number;
            }[];
            /** @description Clicks by browser, in descending order. */
            browsers?: {
                /**
                 * @description Name of the browser.
                 * @example Firefox
                 */
                browser: string;
                /**
                 * @description Number of clicks.
                 * @example 12
                 */
                clicks: number;
            }[];
            /** @description Clicks by operating system, in descending order. */
            operating_systems?: {
                /**
                 * @description Name of the operating system.
                 * @example Android
                 */
                os: string;
                /**
                 * @description Number of clicks.
                 * @example 12
                 */
                clicks: number;
            }[];
            /** @description Clicks by referring host, in descending order; clicks without one are excluded. */
            referrers?: {
                /**
                 * @description Full host.
                 * @example news.ycombinator.com
                 */
                referrer: string;
                /**
                 * @description Number of clicks.
                 * @example 12
                 */
                clicks: number;
            }[];
            /** @description Clicks by short host, in descending order. */
            hosts?: {
                /**
                 * @description The short host of the link at the click, or null for the default host.
                 * @example go.example.com
                 */
                host: string | null;
                /**
                 * @description Number of clicks.
                 * @example 12
                 */
                clicks: number;
            }[];
            /** @description Every hour of the window by the clocks of the zone, oldest first, with `hours`. */
            clicks_by_hour?: {
                /**
                 * @description Start of the hour, with the offset of the zone.
                 * @example 2026-11-21T09:00:00+01:00
                 */
                hour: string;
                /**
                 * @description Number of clicks.
                 * @example 12
                 */
                clicks: number;
            }[];
            /** @description The window of the same length before. */
            previous?: {
                /**
                 * @description First day.
                 * @example 2026-11-21
                 */
                from: string;
                /**
                 * @description Last day.
                 * @example 2026-11-21
                 */
                to: string;
                /**
                 * @description Number of clicks.
                 * @example 12
                 */
                clicks: number;
            };
            /** @description Clicks by the two parts of `cross`, in descending order. A click counts once for each hashtag of its link; a link without one is excluded if `hashtag` is one of the parts. */
            cross?: {
                /**
                 * @description The day.
                 * @example 2026-11-21
                 */
                day?: string;
                /**
                 * @description Name of the traffic source.
                 * @example google.com
                 */
                source?: string;
                /**
                 * @description Kind of device.
                 * @enum {string}
                 */
                device?: "desktop" | "mobile" | "tablet" | "other";
                /**
                 * @description ISO 3166-1 alpha-2, or null if unknown.
                 * @example DE
                 */
                country?: string | null;
                /**
                 * @description Name of the browser.
                 * @example Firefox
                 */
                browser?: string;
                /**
                 * @description Name of the operating system.
                 * @example Android
                 */
                os?: string;
                /**
                 * @description The short host of the link at the click, or null for the default host.
                 * @example go.example.com
                 */
                host?: string | null;
                /**
                 * @description A hashtag that the link has now.
                 * @example summer
                 */
                hashtag?: string;
                /**
                 * @description Number of clicks.
                 * @example 12
                 */
                clicks: number;
            }[];
            /** @description `link_id`, as sent. */
            link_id?: string;
            /** @description `hashtag`, as sent. */
            hashtag?: string;
            /** @description `device`, as sent. */
            device?: string;
            /** @description `country`, as sent. */
            country?: string;
            /** @description `browser`, as sent. */
            browser?: string;
            /** @description `os`, as sent. */
            os?: string;
            /** @description `host`, as sent. */
            host?: string;
            /** @description `include`, as sent. */
            include?: string;
            /** @description `top`, as sent. */
            top?: number;
            /** @description `top_by`, as sent. */
            top_by?: components["schemas"]["TopBy"];
        };
        /** @description The body of every error response: exactly one field. */
        Error: {
            /** @description What is wrong and how to correct it, in one sentence. */
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
        /** @description The token or the passkey is wrong, was used already, or has expired. */
        SignInRefused: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The account’s plan or the key’s scope does not allow the request. */
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
        /** @description There is no such job, or this key may not see it. */
        NoSuchJob: {
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
        /** @description There is no such host. */
        NoSuchHost: {
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
        /** @description There is no key of this scope. */
        NoSuchKey: {
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
        /** @description There is no such passkey. */
        NoSuchPasskey: {
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
        /** @description The body is over 64 KiB, over 256 KiB for `bulk`, or over 64 MiB for an import. */
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
        /** @description A value is invalid; the message names the field, the value that was sent and what is allowed. */
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
        /** @description The key or session has used up its requests for this minute, the address sent too many requests without a valid one, two exports of the account still run, 20 of its jobs wait, or a host was verified ten times. */
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
        /** @description An internal error. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Part of the service is unavailable or too busy at the moment. */
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
         * @description Identifies the request in the service’s logs. It is the id that the client sent, if that was a valid one.
         * @example 0b8f1c52-7f0e-4c07-9a8c-1d7f0c8a2f5e
         */
        "X-Request-Id": string;
        /**
         * @description The remaining requests (`r`), and the seconds until the limit resets (`t`).
         * @example "key";r=599;t=60
         */
        RateLimit: string;
        /**
         * @description The limit: requests (`q`) in a window of seconds (`w`).
         * @example "key";q=600;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Seconds to wait before trying again.
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description How to authenticate.
         * @example Bearer
         */
        "WWW-Authenticate": string;
        /**
         * @description A redirect is never cached, so that every click is counted and changes take effect.
         * @example no-store
         */
        "Cache-Control": string;
        /**
         * @description `noindex` if the link is unlisted.
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
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
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
                     *       "keys": [
                     *         {
                     *           "scope": "full_access",
                     *           "hint": "…x9Kd",
                     *           "created_at": "2026-11-01T09:00:00.000Z",
                     *           "last_used_at": "2026-11-21T16:40:12.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AccountKeys"];
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
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which of the two keys.
                 * @example full_access
                 */
                scope: components["schemas"]["KeyScope"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new key. */
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
                     *       "key": "key_live_0000000000000000000000000000000000000000"
                     *     }
                     */
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoSuchKey"];
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Which of the two keys.
                 * @example full_access
                 */
                scope: components["schemas"]["KeyScope"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account has no key of this scope. */
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
            404: components["responses"]["NoSuchKey"];
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPasskeyOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The options. */
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
                     *       "challenge": "AZrgT46PLH0xpLY",
                     *       "rp": {
                     *         "name": "Waymark",
                     *         "id": "go.example"
                     *       },
                     *       "user": {
                     *         "id": "MDE5YTRmMGU4ZjJj",
                     *         "name": "ada",
                     *         "displayName": "ada"
                     *       },
                     *       "pubKeyCredParams": [
                     *         {
                     *           "alg": -7,
                     *           "type": "public-key"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyCreationOptions"];
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
    listPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The passkeys. */
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
                     *       "passkeys": [
                     *         {
                     *           "id": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *           "name": "Laptop",
                     *           "created_at": "2026-11-01T09:00:00.000Z",
                     *           "last_used_at": "2026-11-21T16:40:12.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Passkeys"];
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
    addPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Laptop",
                 *       "response": {
                 *         "id": "rZ3f0b7Wq1s",
                 *         "rawId": "rZ3f0b7Wq1s",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoi",
                 *           "attestationObject": "o2NmbXRkbm9uZQ"
                 *         },
                 *         "clientExtensionResults": {}
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AddPasskeyInput"];
            };
        };
        responses: {
            /** @description The new passkey. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *       "name": "Laptop",
                     *       "created_at": "2026-11-01T09:00:00.000Z",
                     *       "last_used_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Passkey"];
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
    deletePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the passkey.
                 * @example aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The passkey is deleted. */
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
            404: components["responses"]["NoSuchPasskey"];
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "signin_0000000000000000000000000000000000000000"
                 *     }
                 */
                "application/json": components["schemas"]["CreateSessionInput"];
            };
        };
        responses: {
            /** @description The new session. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "sess_0000000000000000000000000000000000000000",
                     *       "expires_at": "2026-11-21T21:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            401: components["responses"]["SignInRefused"];
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createSignInOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The options. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "challenge": "AZrgT46PLH0xpLY",
                     *       "rpId": "go.example",
                     *       "userVerification": "required"
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyRequestOptions"];
                };
            };
            401: components["responses"]["SignInRefused"];
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPasskeySession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "response": {
                 *         "id": "rZ3f0b7Wq1s",
                 *         "rawId": "rZ3f0b7Wq1s",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoi",
                 *           "signature": "MEUCIQ"
                 *         },
                 *         "clientExtensionResults": {}
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PasskeySignInInput"];
            };
        };
        responses: {
            /** @description The new session. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "sess_0000000000000000000000000000000000000000",
                     *       "expires_at": "2026-11-21T21:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            401: components["responses"]["SignInRefused"];
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteCurrentSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
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
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listLinks: {
        parameters: {
            query?: {
                /**
                 * @description Search terms, at most 10, split at white space; every term must occur, ignoring case (`strasse` finds `Straße`) and Unicode normalization, in slug, title, destination URL, description, note or a hashtag. Every character is literal, but a term that is `#` and a hashtag finds links that have exactly that hashtag, and a term that is a short URL of this service or of a short host of the account finds that link.
                 * @example summer
                 */
                q?: string;
                /**
                 * @description Only links that have this hashtag.
                 * @example summer
                 */
                hashtag?: string;
                /** @description Only links of this visibility. */
                visibility?: components["schemas"]["Visibility"];
                /**
                 * @description Only links to this host or one below it: `example.com` finds `shop.example.com`.
                 * @example example.com
                 */
                domain?: string;
                /** @description Whether to list links that are not archived, that are, or all. */
                archived?: "false" | "true" | "any";
                /**
                 * @description Only links on this short host; `default` for those on the default host.
                 * @example default
                 */
                host?: string;
                /**
                 * @description Only links created before then: an RFC 3339 time, or a date for its beginning in UTC.
                 * @example 2026-06-01
                 */
                created_before?: string;
                /**
                 * @description Only links created then or later: an RFC 3339 time, or a date for its beginning in UTC.
                 * @example 2026-06-01
                 */
                created_after?: string;
                /** @description Only links that have expired by now, or only those that have not. */
                expired?: "false" | "true";
                /**
                 * @description Only links to exactly this URL.
                 * @example https://example.com/summer?ref=mail
                 */
                destination_url?: string;
                /**
                 * @description Only links not clicked since then, those never clicked included: an RFC 3339 time, or a date for its beginning in UTC.
                 * @example 2026-06-01
                 */
                last_clicked_before?: string;
                /**
                 * @description Only these fields of each link, separated by commas. `id` is always included.
                 * @example slug,clicks
                 */
                fields?: string;
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
                     *           "host": null,
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
                     *           "expires_at": "2027-09-01T00:00:00.000Z",
                     *           "expired_url": "https://example.com/autumn",
                     *           "archived": false,
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
                /** @description Makes the request safe to repeat: the same key and body within 24 hours return the first response again; the same key with another body is refused. */
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
                     *       "host": null,
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
                     *       "expires_at": "2027-09-01T00:00:00.000Z",
                     *       "expired_url": "https://example.com/autumn",
                     *       "archived": false,
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
    bulkEditLinks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the same key and body within 24 hours return the first response again; the same key with another body is refused. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "operations": [
                 *         {
                 *           "op": "create",
                 *           "link": {
                 *             "destination_url": "https://example.com/summer?ref=mail",
                 *             "title": "Summer sale",
                 *             "hashtags": [
                 *               "summer",
                 *               "sale"
                 *             ]
                 *           }
                 *         },
                 *         {
                 *           "op": "update",
                 *           "id": "019a4f0e8f2c7d31a4b6",
                 *           "link": {
                 *             "title": "Winter sale",
                 *             "hashtags": [
                 *               "winter",
                 *               "sale"
                 *             ]
                 *           }
                 *         },
                 *         {
                 *           "op": "delete",
                 *           "id": "019a4f0e8f2c7d31a4b7"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BulkInput"];
            };
        };
        responses: {
            /** @description One result for each operation. */
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
                     *       "results": [
                     *         {
                     *           "status": 201,
                     *           "link": {
                     *             "id": "019a4f0e8f2c7d31a4b6",
                     *             "host": null,
                     *             "slug": "summer-sale",
                     *             "short_url": "https://go.example/summer-sale",
                     *             "destination_url": "https://example.com/summer?ref=mail",
                     *             "title": "Summer sale",
                     *             "description": "Everything must go.",
                     *             "note": "Printed on the July flyer.",
                     *             "hashtags": [
                     *               "summer",
                     *               "sale"
                     *             ],
                     *             "visibility": "public",
                     *             "expires_at": "2027-09-01T00:00:00.000Z",
                     *             "expired_url": "https://example.com/autumn",
                     *             "archived": false,
                     *             "clicks": 42,
                     *             "last_clicked_at": "2026-11-21T09:30:00.000Z",
                     *             "created_at": "2026-11-01T08:00:00.000Z",
                     *             "updated_at": "2026-11-02T10:15:30.000Z"
                     *           }
                     *         },
                     *         {
                     *           "status": 404,
                     *           "error": "Link not found."
                     *         },
                     *         {
                     *           "status": 204
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BulkResults"];
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
    exportLinks: {
        parameters: {
            query?: {
                /**
                 * @description Search terms, at most 10, split at white space; every term must occur, ignoring case (`strasse` finds `Straße`) and Unicode normalization, in slug, title, destination URL, description, note or a hashtag. Every character is literal, but a term that is `#` and a hashtag finds links that have exactly that hashtag, and a term that is a short URL of this service or of a short host of the account finds that link.
                 * @example summer
                 */
                q?: string;
                /**
                 * @description Only links that have this hashtag.
                 * @example summer
                 */
                hashtag?: string;
                /** @description Only links of this visibility. */
                visibility?: components["schemas"]["Visibility"];
                /**
                 * @description Only links to this host or one below it: `example.com` finds `shop.example.com`.
                 * @example example.com
                 */
                domain?: string;
                /** @description Whether to list links that are not archived, that are, or all. */
                archived?: "false" | "true" | "any";
                /**
                 * @description Only links on this short host; `default` for those on the default host.
                 * @example default
                 */
                host?: string;
                /**
                 * @description Only links created before then: an RFC 3339 time, or a date for its beginning in UTC.
                 * @example 2026-06-01
                 */
                created_before?: string;
                /**
                 * @description Only links created then or later: an RFC 3339 time, or a date for its beginning in UTC.
                 * @example 2026-06-01
                 */
                created_after?: string;
                /** @description Only links that have expired by now, or only those that have not. */
                expired?: "false" | "true";
                /**
                 * @description Only links to exactly this URL.
                 * @example https://example.com/summer?ref=mail
                 */
                destination_url?: string;
                /**
                 * @description Only links not clicked since then, those never clicked included: an RFC 3339 time, or a date for its beginning in UTC.
                 * @example 2026-06-01
                 */
                last_clicked_before?: string;
                /** @description One JSON object on each line, or CSV (RFC 4180) with a header row. */
                format?: "ndjson" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The links, streamed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The name for a file.
                     * @example attachment; filename="links.csv"
                     */
                    "Content-Disposition"?: string;
                    /**
                     * @description An export is never cached.
                     * @example no-store
                     */
                    "Cache-Control"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
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
    getLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The link: its `id`, its short URL or, on the default host, its slug, the last two in any case.
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
                     *       "host": null,
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
                     *       "expires_at": "2027-09-01T00:00:00.000Z",
                     *       "expired_url": "https://example.com/autumn",
                     *       "archived": false,
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
            422: components["responses"]["Invalid"];
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
                 * @description The link: its `id`, its short URL or, on the default host, its slug, the last two in any case.
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
                     *       "host": null,
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
                     *       "expires_at": "2027-09-01T00:00:00.000Z",
                     *       "expired_url": "https://example.com/autumn",
                     *       "archived": false,
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
                 * @description The link: its `id`, its short URL or, on the default host, its slug, the last two in any case.
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
    getQrCode: {
        parameters: {
            query?: {
                /** @description Format of the image. */
                format?: "svg" | "png";
                /** @description Width and height in pixels; at least one for each module of code and margin. */
                size?: number;
                /** @description Width of the empty border, in modules. */
                margin?: number;
                /** @description Error correction: how much of the code may be damaged, from `L` (7 %) to `H` (30 %). */
                level?: "L" | "M" | "Q" | "H";
            };
            header?: never;
            path: {
                /**
                 * @description The link: its `id`, its short URL or, on the default host, its slug, the last two in any case.
                 * @example 019a4f0e8f2c7d31a4b6
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The image. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description How long the image may be cached.
                     * @example private, max-age=86400
                     */
                    "Cache-Control"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                    "image/png": string;
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listHashtags: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The hashtags. */
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
                     *       "hashtags": [
                     *         {
                     *           "hashtag": "sale",
                     *           "links": 12,
                     *           "clicks": 340
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["HashtagList"];
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
    getAnalytics: {
        parameters: {
            query?: {
                /** @description Length of the window in whole days, today included; 30 if no window is sent. */
                days?: number;
                /**
                 * @description First day of the window, instead of `days`.
                 * @example 2026-11-01
                 */
                from?: string;
                /**
                 * @description Last day of the window.
                 * @example 2026-11-01
                 */
                to?: string;
                /**
                 * @description IANA time zone of the days.
                 * @example Europe/Berlin
                 */
                tz?: string;
                /**
                 * @description Only clicks from this source.
                 * @example google.com
                 */
                source?: string;
                /** @description Only clicks of this link: its id, slug or short URL. */
                link_id?: string;
                /**
                 * @description Only clicks of links that have it now.
                 * @example summer
                 */
                hashtag?: string;
                /**
                 * @description Only clicks with this device: desktop, mobile, tablet, other.
                 * @example mobile
                 */
                device?: string;
                /**
                 * @description Only clicks from this country, an ISO 3166-1 alpha-2 code; `unknown` for null.
                 * @example DE
                 */
                country?: string;
                /**
                 * @description Only clicks with this browser.
                 * @example Firefox
                 */
                browser?: string;
                /**
                 * @description Only clicks with this operating system.
                 * @example Android
                 */
                os?: string;
                /**
                 * @description Only clicks on this short host; `default` for those on the default host.
                 * @example default
                 */
                host?: string;
                /**
                 * @description Further parts, comma-separated: visitors, countries, browsers, operating_systems, referrers, hours, previous, hosts.
                 * @example countries,previous
                 */
                include?: string;
                /**
                 * @description Clicks by two of day, source, device, country, browser, os, host, hashtag together, comma-separated.
                 * @example source,country
                 */
                cross?: string;
                /** @description How many top_links; 10 if not sent. */
                top?: number;
                /** @description Order of top_links; growth and decline need include=previous. */
                top_by?: components["schemas"]["TopBy"];
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
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listJobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The jobs. */
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
                     *       "jobs": [
                     *         {
                     *           "id": "019a4f0e8f2c7d31a4c9",
                     *           "kind": "edit",
                     *           "state": "done",
                     *           "dry_run": false,
                     *           "matched": 137,
                     *           "done": 137,
                     *           "created": 0,
                     *           "changed": 130,
                     *           "deleted": 0,
                     *           "unchanged": 5,
                     *           "refused": 2,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "finished_at": "2026-11-21T09:30:02.250Z",
                     *           "undo_until": "2026-11-22T09:30:02.250Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["JobList"];
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
    startJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the same key and body within 24 hours return the first response again; the same key with another body is refused. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "edit",
                 *       "filter": {
                 *         "hashtag": "summer",
                 *         "archived": "any"
                 *       },
                 *       "change": {
                 *         "archived": true,
                 *         "replace_hashtag": {
                 *           "from": "summer",
                 *           "to": "summer-2026"
                 *         },
                 *         "replace_host": {
                 *           "from": "old.example.com",
                 *           "to": "new.example.com"
                 *         }
                 *       },
                 *       "dry_run": true
                 *     }
                 */
                "application/json": components["schemas"]["JobInput"];
            };
        };
        responses: {
            /** @description The job, which is over. */
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
                     *       "id": "019a4f0e8f2c7d31a4c9",
                     *       "kind": "edit",
                     *       "state": "done",
                     *       "dry_run": false,
                     *       "matched": 137,
                     *       "done": 137,
                     *       "created": 0,
                     *       "changed": 130,
                     *       "deleted": 0,
                     *       "unchanged": 5,
                     *       "refused": 2,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": "2026-11-21T09:30:02.250Z",
                     *       "undo_until": "2026-11-22T09:30:02.250Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The job, which goes on. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a4f0e8f2c7d31a4c9",
                     *       "kind": "edit",
                     *       "state": "running",
                     *       "dry_run": false,
                     *       "matched": 137,
                     *       "done": 100,
                     *       "created": 0,
                     *       "changed": 95,
                     *       "deleted": 0,
                     *       "unchanged": 5,
                     *       "refused": 2,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": null,
                     *       "undo_until": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
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
    startImport: {
        parameters: {
            query?: {
                /** @description The service that exported the file; `auto` finds out. */
                format?: "auto" | "waymark" | "bitly" | "dub" | "kutt" | "shlink" | "yourls";
                /** @description True for a preview, which begins no job. */
                dry_run?: "true" | "false";
                /**
                 * @description The column of each field, as a JSON object, for a file of none of these services. Other columns are not used.
                 * @example {"destination_url":"Ziel"}
                 */
                columns?: string;
            };
            header?: {
                /** @description Makes the request safe to repeat: the same key and body within 24 hours return the first response again; the same key with another body is refused. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The file. Its type may also be one of text/csv, application/x-ndjson, application/json. */
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description With `dry_run`: the first 20 rows. */
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
                     *       "format": "bitly",
                     *       "columns": {
                     *         "destination_url": "Long URL",
                     *         "title": "Title"
                     *       },
                     *       "rows": [
                     *         {
                     *           "row": 2,
                     *           "link": {
                     *             "destination_url": "https://example.com/summer",
                     *             "title": "Summer"
                     *           }
                     *         },
                     *         {
                     *           "row": 3,
                     *           "error": "\"destination_url\" is required."
                     *         }
                     *       ],
                     *       "encoding": "windows-1252",
                     *       "unused_columns": [
                     *         "Engagements"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ImportAnswer"];
                };
            };
            /** @description The job, which goes on. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a4f0e8f2c7d31a4c9",
                     *       "kind": "import",
                     *       "state": "running",
                     *       "dry_run": false,
                     *       "matched": 137,
                     *       "done": 100,
                     *       "created": 95,
                     *       "changed": 0,
                     *       "deleted": 0,
                     *       "unchanged": 5,
                     *       "refused": 2,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": null,
                     *       "undo_until": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
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
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the job.
                 * @example 019a4f0e8f2c7d31a4c9
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
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
                     *       "id": "019a4f0e8f2c7d31a4c9",
                     *       "kind": "edit",
                     *       "state": "done",
                     *       "dry_run": false,
                     *       "matched": 137,
                     *       "done": 137,
                     *       "created": 0,
                     *       "changed": 130,
                     *       "deleted": 0,
                     *       "unchanged": 5,
                     *       "refused": 2,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": "2026-11-21T09:30:02.250Z",
                     *       "undo_until": "2026-11-22T09:30:02.250Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoSuchJob"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRefused: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the job.
                 * @example 019a4f0e8f2c7d31a4c9
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The refused links, streamed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description It is never cached.
                     * @example no-store
                     */
                    "Cache-Control"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoSuchJob"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the job.
                 * @example 019a4f0e8f2c7d31a4c9
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
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
                     *       "id": "019a4f0e8f2c7d31a4c9",
                     *       "kind": "edit",
                     *       "state": "cancelled",
                     *       "dry_run": false,
                     *       "matched": 137,
                     *       "done": 100,
                     *       "created": 0,
                     *       "changed": 95,
                     *       "deleted": 0,
                     *       "unchanged": 5,
                     *       "refused": 2,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": "2026-11-21T09:30:02.250Z",
                     *       "undo_until": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoSuchJob"];
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    undoJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the same key and body within 24 hours return the first response again; the same key with another body is refused. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Identifier of the job.
                 * @example 019a4f0e8f2c7d31a4c9
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job, which is over. */
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
                     *       "id": "019a4f0e8f2c7d31a4c9",
                     *       "kind": "edit",
                     *       "state": "done",
                     *       "dry_run": false,
                     *       "matched": 137,
                     *       "done": 137,
                     *       "created": 0,
                     *       "changed": 130,
                     *       "deleted": 0,
                     *       "unchanged": 5,
                     *       "refused": 2,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": "2026-11-21T09:30:02.250Z",
                     *       "undo_until": "2026-11-22T09:30:02.250Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The job, which goes on. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a4f0e8f2c7d31a4c9",
                     *       "kind": "edit",
                     *       "state": "running",
                     *       "dry_run": false,
                     *       "matched": 137,
                     *       "done": 100,
                     *       "created": 0,
                     *       "changed": 95,
                     *       "deleted": 0,
                     *       "unchanged": 5,
                     *       "refused": 2,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": null,
                     *       "undo_until": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoSuchJob"];
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listHosts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The hosts. */
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
                     *       "hosts": [
                     *         {
                     *           "id": "019a4f0e8fp6q4w0x2b7",
                     *           "host": "go.example.com",
                     *           "status": "verified",
                     *           "txt": {
                     *             "name": "_waymark.go.example.com",
                     *             "value": "waymark-3fk9x0m2v7q8r1t5w6y4z2b3"
                     *           },
                     *           "root_url": "https://example.com/",
                     *           "not_found_url": null,
                     *           "checked_at": "2026-11-21T16:40:12.000Z",
                     *           "created_at": "2026-11-01T09:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Hosts"];
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
    addHost: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "host": "go.example.com"
                 *     }
                 */
                "application/json": components["schemas"]["AddHostInput"];
            };
        };
        responses: {
            /** @description The new host. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The path of the host.
                     * @example /api/v1/hosts/019a4f0e8fp6q4w0x2b7
                     */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a4f0e8fp6q4w0x2b7",
                     *       "host": "go.example.com",
                     *       "status": "pending",
                     *       "txt": {
                     *         "name": "_waymark.go.example.com",
                     *         "value": "waymark-3fk9x0m2v7q8r1t5w6y4z2b3"
                     *       },
                     *       "root_url": null,
                     *       "not_found_url": null,
                     *       "checked_at": null,
                     *       "created_at": "2026-11-01T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Host"];
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
    getHost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the host.
                 * @example 019a4f0e8fp6q4w0x2b7
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The host. */
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
                     *       "id": "019a4f0e8fp6q4w0x2b7",
                     *       "host": "go.example.com",
                     *       "status": "verified",
                     *       "txt": {
                     *         "name": "_waymark.go.example.com",
                     *         "value": "waymark-3fk9x0m2v7q8r1t5w6y4z2b3"
                     *       },
                     *       "root_url": "https://example.com/",
                     *       "not_found_url": null,
                     *       "checked_at": "2026-11-21T16:40:12.000Z",
                     *       "created_at": "2026-11-01T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Host"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoSuchHost"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateHost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the host.
                 * @example 019a4f0e8fp6q4w0x2b7
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "root_url": "https://example.com/",
                 *       "not_found_url": "https://example.com/not-found"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateHostInput"];
            };
        };
        responses: {
            /** @description The host. */
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
                     *       "id": "019a4f0e8fp6q4w0x2b7",
                     *       "host": "go.example.com",
                     *       "status": "verified",
                     *       "txt": {
                     *         "name": "_waymark.go.example.com",
                     *         "value": "waymark-3fk9x0m2v7q8r1t5w6y4z2b3"
                     *       },
                     *       "root_url": "https://example.com/",
                     *       "not_found_url": "https://example.com/not-found",
                     *       "checked_at": "2026-11-21T16:40:12.000Z",
                     *       "created_at": "2026-11-01T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Host"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoSuchHost"];
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteHost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the host.
                 * @example 019a4f0e8fp6q4w0x2b7
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The host is deleted. */
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
            404: components["responses"]["NoSuchHost"];
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    verifyHost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the host.
                 * @example 019a4f0e8fp6q4w0x2b7
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The host. */
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
                     *       "id": "019a4f0e8fp6q4w0x2b7",
                     *       "host": "go.example.com",
                     *       "status": "verified",
                     *       "txt": {
                     *         "name": "_waymark.go.example.com",
                     *         "value": "waymark-3fk9x0m2v7q8r1t5w6y4z2b3"
                     *       },
                     *       "root_url": "https://example.com/",
                     *       "not_found_url": null,
                     *       "checked_at": "2026-11-21T16:40:12.000Z",
                     *       "created_at": "2026-11-01T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Host"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoSuchHost"];
            413: components["responses"]["TooLarge"];
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
                 * @description The slug of the link, in upper or lower case. Query parameters are added to the destination if the query has at most 2,048 characters.
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
            /** @description To the destination, to the `expired_url` of a link that has expired, or to the `not_found_url` of a short host. */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Robots-Tag": components["headers"]["X-Robots-Tag"];
                    /**
                     * @description The destination, with the query parameters of the short URL added if the query has at most 2,048 characters.
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
            /** @description The link has expired and has no `expired_url`: a page for a browser (`Accept: text/html`), JSON for others. */
            410: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "This link has expired."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            /** @description Nobody owns the host of the request, and `UNKNOWN_HOSTS` is `refuse`. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "No short links are served on this host."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
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
                 * @description The slug of the link, in upper or lower case. Query parameters are added to the destination if the query has at most 2,048 characters.
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
            /** @description The link has expired: to its `expired_url`; or to the `not_found_url` of a short host. */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Robots-Tag": components["headers"]["X-Robots-Tag"];
                    /**
                     * @description The destination, with the query parameters of the short URL added if the query has at most 2,048 characters.
                     * @example https://example.com/summer?ref=mail
                     */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The password was right: to the destination. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Robots-Tag": components["headers"]["X-Robots-Tag"];
                    /**
                     * @description The destination, with the query parameters of the short URL added if the query has at most 2,048 characters.
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
            /** @description The link has expired and has no `expired_url`: a page for a browser (`Accept: text/html`), JSON for others. */
            410: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "This link has expired."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            413: components["responses"]["TooLarge"];
            /** @description Nobody owns the host of the request, and `UNKNOWN_HOSTS` is `refuse`. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "No short links are served on this host."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
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
                 * @description The slug of the link, in upper or lower case. Query parameters are added to the destination if the query has at most 2,048 characters.
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
            /** @description To the destination, to the `expired_url` of a link that has expired, or to the `not_found_url` of a short host. */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Robots-Tag": components["headers"]["X-Robots-Tag"];
                    /**
                     * @description The destination, with the query parameters of the short URL added if the query has at most 2,048 characters.
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
            /** @description The link has expired and has no `expired_url`: a page for a browser (`Accept: text/html`), JSON for others. */
            410: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "This link has expired."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            /** @description Nobody owns the host of the request, and `UNKNOWN_HOSTS` is `refuse`. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "No short links are served on this host."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
}
