<?php

declare(strict_types=1);

namespace Psr\Log;

/** The one method of PSR-3 that the client calls, as `psr/log` declares it. */
interface LoggerInterface
{
    public function log($level, string|\Stringable $message, array $context = []): void;
}
