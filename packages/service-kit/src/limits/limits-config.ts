import Type from 'typebox';

/** The variables of a service that limits rates. */
export const limitsConfig = {
  REDIS_URL: Type.Optional(
    Type.String({
      format: 'redis-url',
      writeOnly: true,
      description:
        'The Redis (redis:// or rediss://) in which the replicas count rate limits together, with user and password where it needs them; without it each replica counts for itself.',
    }),
  ),
};
