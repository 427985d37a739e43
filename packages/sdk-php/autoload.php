<?php

declare(strict_types=1);

// For whoever does not use Composer: require this file instead of vendor/autoload.php.
spl_autoload_register(static function (string $class): void {
    foreach (['src', 'src/generated'] as $folder) {
        $path = __DIR__ . "/$folder/" . substr($class, strlen('Acuse\\')) . '.php';
        if (str_starts_with($class, 'Acuse\\') && is_file($path)) {
            require $path;
        }
    }
});
