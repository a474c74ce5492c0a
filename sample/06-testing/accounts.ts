import { Injectable } from '@nestjs/common';

/** Who may use the product. */
@Injectable()
export class Accounts {
  readonly onTrial = new Set<string>();
}
