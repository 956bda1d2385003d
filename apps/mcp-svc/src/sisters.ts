import { accountsV1, analyticsV1, createGrpcClient, type GrpcClient, linksV1 } from '@waymark/proto';

/** The services that the tools call. */
export interface Sisters {
  accounts: GrpcClient<typeof accountsV1.AccountsService>;
  links: GrpcClient<typeof linksV1.LinksService>;
  analytics: GrpcClient<typeof analyticsV1.AnalyticsService>;
  close(): void;
}

/** Clients of links-svc and analytics-svc. They connect when they are first used. */
export function createSisters({ LINKS_GRPC, ANALYTICS_GRPC }: { LINKS_GRPC: string; ANALYTICS_GRPC: string }): Sisters {
  const accounts = createGrpcClient(accountsV1.AccountsService, { address: LINKS_GRPC });
  const links = createGrpcClient(linksV1.LinksService, { address: LINKS_GRPC });
  const analytics = createGrpcClient(analyticsV1.AnalyticsService, { address: ANALYTICS_GRPC });
  return {
    accounts,
    links,
    analytics,
    close() {
      for (const client of [accounts, links, analytics]) client.close();
    },
  };
}
