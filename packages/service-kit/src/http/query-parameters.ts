import { queryValidator } from '@waymark/contract';
import type { FastifyInstance, FastifySchema } from 'fastify';
import Type, { type TSchema } from 'typebox';
import { parseQueryString } from './query-string.ts';

const NO_PARAMETERS = Type.Object({}, { additionalProperties: false });

/** The query of a request that no route has checked. */
type UnparsedQuery = { text: string };

/**
 * Wraps the query string of a request until {@link checkQueryParameters} parses it. Anyone may send a long one to a
 * short URL, and parsing it would be most of the work of the request.
 */
export function unparsedQuery(text: string): UnparsedQuery {
  return { text };
}

/**
 * Checks the query parameters of every route that is added to the instance afterwards. A route accepts the parameters
 * of its `schema.querystring`, each at most once. A route without that schema accepts none. Anything else is 422.
 * `request.query` then holds the checked values with their defaults.
 */
export function checkQueryParameters(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.schema = { querystring: NO_PARAMETERS, ...route.schema };
  });
  app.setValidatorCompiler<FastifySchema & TSchema>(({ schema }) => {
    const check = queryValidator(schema);
    return (query: UnparsedQuery) => {
      try {
        return { value: check(parseQueryString(query.text)) };
      } catch (error) {
        return { error: error as Error };
      }
    };
  });
}
