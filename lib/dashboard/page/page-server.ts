import { gunzipSync } from 'node:zlib';
import { ApiFailure } from '../http/api-failure.js';
import type { Call } from '../http/call.js';
import type { Answer } from '../http/send.js';
import { pageFiles } from './page-files.js';

/** A file of the built page. */
export interface PageFile {
  /** Its content type. */
  readonly type: string;
  /** Changes with its content. */
  readonly hash: string;
  /** Compressed, as base64. */
  readonly gzip: string;
}

const pageName = 'index.html';

/** Gives the page's files from memory: whatever a path says, it can lead to nothing else. */
export class PageServer {
  private readonly files: ReadonlyMap<string, PageFile>;
  private readonly zipped = new Map<string, Buffer>();

  constructor(files: Readonly<Record<string, PageFile>> = pageFiles) {
    this.files = new Map(Object.entries(files));
  }

  answer(call: Call): Answer {
    const { path, urlPath, method } = call;
    const name = path === '' ? pageName : path;
    const file = this.files.get(name);
    if (!file) throw new ApiFailure(404, 'NOT_FOUND', 'there is no such file or route in the dashboard');
    if (method !== 'GET' && method !== 'HEAD')
      throw new ApiFailure(405, 'METHOD_NOT_ALLOWED', `${method} cannot be asked of a file`, {
        headers: { allow: 'GET, HEAD' },
      });
    // The page's links are relative: they lead below it only where its address ends in a slash.
    return path === '' && !urlPath.endsWith('/') ? withSlash(call) : this.give(name, file, call);
  }

  private give(name: string, file: PageFile, { headers }: Call): Answer {
    const etag = `"${file.hash}"`;
    const common = {
      etag,
      vary: 'accept-encoding',
      // The names of assets change with their content.
      'cache-control': name.startsWith('assets/')
        ? 'private, max-age=31536000, immutable'
        : 'private, no-cache',
    };
    if ((headers['if-none-match'] ?? '').includes(etag)) return { status: 304, headers: common };
    const body = this.bytesOf(name, file);
    const typed = { ...common, 'content-type': file.type };
    if (/\bgzip\b(?!\s*;\s*q=0(?:\.0+)?\s*(?:,|$))/.test(String(headers['accept-encoding'] ?? '')))
      return { status: 200, headers: { ...typed, 'content-encoding': 'gzip' }, body };
    return { status: 200, headers: typed, body: gunzipSync(body) };
  }

  private bytesOf(name: string, { gzip }: PageFile): Buffer {
    const known = this.zipped.get(name) ?? Buffer.from(gzip, 'base64');
    this.zipped.set(name, known);
    return known;
  }
}

/** To the same place with a slash, said relatively: only the browser knows what proxies have made of the path. */
function withSlash({ urlPath, query }: Call): Answer {
  const last = urlPath.slice(urlPath.lastIndexOf('/') + 1);
  const text = query.toString();
  const location = `./${last}/${text === '' ? '' : `?${text}`}`;
  return { status: 302, headers: { location, 'cache-control': 'no-store' } };
}
