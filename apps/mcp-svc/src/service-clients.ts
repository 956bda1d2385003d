import { accountsV1, analyticsV1, createGrpcClient, eventsV1, type GrpcClient, jobsV1, linksV1 } from '@waymark/proto';
import { grpcClientTls } from '@waymark/service-kit';
import type { Config } from './config.ts';

/** Clients of the services that the tools call. */
export interface ServiceClients {
  accounts: GrpcClient<typeof accountsV1.AccountsService>;
  links: GrpcClient<typeof linksV1.LinksService>;
  jobs: GrpcClient<typeof jobsV1.JobsService>;
  events: GrpcClient<typeof eventsV1.EventsService>;
  analytics: GrpcClient<typeof analyticsV1.AnalyticsService>;
  close(): void;
}

export type ServiceClientsConfig = Pick<
  Config,
  'LINKS_GRPC' | 'ANALYTICS_GRPC' | 'GRPC_TLS_CA' | 'GRPC_TLS_CERT' | 'GRPC_TLS_KEY'
>;

/** Creates clients of links-svc and analytics-svc. They connect on first use. */
export function createServiceClients(config: ServiceClientsConfig): ServiceClients {
  const tls = grpcClientTls(config);
  const accounts = createGrpcClient(accountsV1.AccountsService, { address: config.LINKS_GRPC, ...tls });
  const links = createGrpcClient(linksV1.LinksService, { address: config.LINKS_GRPC, ...tls });
  const jobs = createGrpcClient(jobsV1.JobsService, { address: config.LINKS_GRPC, ...tls });
  const events = createGrpcClient(eventsV1.EventsService, { address: config.LINKS_GRPC, ...tls });
  const analytics = createGrpcClient(analyticsV1.AnalyticsService, { address: config.ANALYTICS_GRPC, ...tls });
  return {
    accounts,
    links,
    jobs,
    events,
    analytics,
    close() {
      for (const client of [accounts, links, jobs, events, analytics]) client.close();
    },
  };
}
