import { runService } from '@waymark/service-kit';
import { analyticsSvc } from './service.ts';

await runService(analyticsSvc);
