import { runService } from '@waymark/service-kit';
import { linksSvc } from './service.ts';

await runService(linksSvc);
