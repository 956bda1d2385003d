import { analyticsSvc } from '@waymark/analytics-svc/service';
import { gateway } from '@waymark/gateway/service';
import { linksSvc } from '@waymark/links-svc/service';
import { mcpSvc } from '@waymark/mcp-svc/service';
import { runServices } from '@waymark/service-kit';

/** The environment variables of each service, by its name, beyond those of this process. */
const environments = JSON.parse(process.env.SERVICE_ENVIRONMENTS!) as Record<string, Record<string, string>>;

// They stop in reverse order: first what clients reach, then what sends clicks, then what receives them.
await runServices(
  'waymark',
  [analyticsSvc, linksSvc, mcpSvc, gateway].map((service) => ({
    service,
    env: { ...process.env, ...environments[service.name] },
  })),
);
