import { queryValidator } from '@waymark/contract';
import type { FastifyInstance, FastifySchema } from 'fastify';
import Type, { type TSchema } from 'typebox';

const NO_PARAMETERS = Type.Object({}, { additionalProperties: false });

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
    return (query: unknown) => {
      try {
        return { value: check(query) };
      } catch (error) {
        return { error: error as Error };
      }
    };
  });
}
