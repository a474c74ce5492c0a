import { BadRequestException, Catch, type ArgumentsHost } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { InvalidParamsError } from 'nestjs-jobs';

/** Params come from the request here, so wrong ones are the client's mistake. */
@Catch(InvalidParamsError)
export class InvalidParamsFilter extends BaseExceptionFilter {
  override catch({ violations }: InvalidParamsError, host: ArgumentsHost) {
    super.catch(new BadRequestException(violations), host);
  }
}
