import type { OtelApi } from './otel-api.js';

/** OpenTelemetry's API if the application has it; it is an optional peer. Another trouble than its absence is reported. */
export async function loadOtelApi(report: (error: unknown) => void): Promise<OtelApi | undefined> {
  try {
    return await import('@opentelemetry/api');
  } catch (error) {
    const { code } = (error ?? {}) as { code?: string };
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') report(error);
    return undefined;
  }
}
