import Type from 'typebox';

/** The variables of a service that limits rates. */
export const limitsConfig = {
  REDIS_URL: Type.Optional(
    Type.String({
      format: 'redis-url',
      writeOnly: true,
      description:
        'The URL of the Redis (redis:// or rediss://) in which replicas share their rate limits, with user and password if it needs them; without it each replica counts on its own.',
    }),
  ),
};
