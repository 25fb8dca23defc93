import { describeService } from '../describe-service.js';

export function printOpenApi({ openapi }: { readonly openapi: '3.0' | '3.1' }): void {
  process.stdout.write(`${JSON.stringify(describeService(openapi), null, 2)}\n`);
}
