import { runService } from '@waymark/service-kit';
import { mcpSvc } from './service.ts';

await runService(mcpSvc);
