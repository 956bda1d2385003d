import { runService } from '@waymark/service-kit';
import { gateway } from './service.ts';

await runService(gateway);
