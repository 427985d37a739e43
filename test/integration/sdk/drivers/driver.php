<?php

declare(strict_types=1);

// Uses the PHP client by the orders of a test: a line of JSON is an order, and what it prints is one of `clientes.ts`.

require __DIR__ . '/../../../../packages/sdk-php/autoload.php';
require __DIR__ . '/psr-log.php';

use Acuse\Acuse;
use Acuse\AcuseError;
use Acuse\Paginas;
use Acuse\PaqueteCfdi;
use Acuse\Webhook;

// What PHP only complains of fails here.
set_error_handler(static fn (int $_, string $text, string $file, int $line) => throw new ErrorException($text, 0, 1, $file, $line));

function say(array $line): void
{
    echo json_encode($line, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION), "\n";
}

final class Said implements Psr\Log\LoggerInterface
{
    public function log($level, string|Stringable $message, array $context = []): void
    {
        $places = array_map(static fn (string $name): string => '{' . $name . '}', array_keys($context));
        say(['registro' => [...$context, 'level' => $level, 'texto' => str_replace($places, array_map(strval(...), $context), $message)]]);
    }
}

function clientOf(array $order): Acuse
{
    $dormir = static function (float $seconds) use ($order): void {
        say(['pausa' => $seconds]);
        usleep((int) ($seconds * $order['scale'] * 1e6));
    };
    ['autoridad' => $autoridad, 'propio' => $propio, 'registro' => $registro] = $order['cliente']
        + ['autoridad' => null, 'propio' => false, 'registro' => false];
    $options = array_diff_key($order['cliente'], ['autoridad' => 0, 'propio' => 0, 'registro' => 0]);
    $options['curl'] = ($autoridad === null ? [] : [CURLOPT_CAINFO => $autoridad]) + ($propio ? [CURLOPT_COOKIE => 'propio=si'] : []);
    $options['registro'] = $registro ? new Said() : null;
    return new Acuse(...$options, dormir: $dormir, azar: static fn (): float => (float) $order['azar']);
}

function callbacksOf(string $name): array
{
    return match ($name) {
        'esperar', 'descargarYEsperar', 'descargarCfdi' => [
            'alAvanzar' => static fn (array $solicitud) => say(['avance' => $solicitud]),
            'alFallar' => static fn (AcuseError $error) => say(['fallo' => $error->nombre]),
        ],
        'guardarPaquete', 'abrirPaquete' => [
            'alRecibir' => static fn (int $came, int $total) => say(['recibido' => [$came, $total]]),
        ],
        default => [],
    };
}

function methodOf(Acuse $acuse, string $name): Closure
{
    [$method, $group] = array_reverse(explode('.', $name)) + [1 => null];
    return ($group === null ? $acuse : $acuse->$group)->$method(...);
}

function readAll(PaqueteCfdi $paquete): array
{
    [$cfdi, $bytes, $faltantes, $hash] = [0, 0, 0, hash_init('sha256')];
    foreach ($paquete->cfdi() as ['uuid' => $uuid, 'ruta' => $ruta, 'xml' => $xml]) {
        $cfdi += 1;
        $bytes += strlen($xml);
        hash_update($hash, "$uuid $ruta " . hash('sha256', $xml) . "\n");
    }
    foreach ($paquete->faltantes() as ['uuid' => $uuid, 'motivo' => $motivo]) {
        $faltantes += 1;
        hash_update($hash, "$uuid $motivo\n");
    }
    $megabytes = memory_get_peak_usage(true) / 1024 / 1024;
    return compact('cfdi', 'bytes', 'faltantes', 'megabytes') + ['sha256' => hash_final($hash)];
}

function resultOf(array $order): mixed
{
    ['metodo' => $name, 'args' => $arguments] = $order;
    if ($name === 'paqueteCfdi') {
        return readAll(new PaqueteCfdi(...$arguments));
    }
    if ($name === 'verificarWebhook') {
        return Webhook::verificar(...[...$arguments, 'cuerpo' => base64_decode($arguments['cuerpo'])]);
    }
    if ($name === 'elementos') {
        $ask = methodOf(clientOf($order), $arguments['operacion']);
        $all = Paginas::elementos(fn (?string $cursor): array => $ask(...$arguments['peticion'], cursor: $cursor));
        $said = [];
        foreach ($all as $at => $elemento) {
            say(['elemento' => $elemento]);
            $said[$at] = true;
        }
        array_is_list($said) || throw new LogicException('an element took the key of another one');
        return (object) [];
    }
    $result = methodOf(clientOf($order), $name)(...$arguments, ...callbacksOf($name));
    if ($name === 'abrirPaquete') {
        $hash = hash_init('sha256');
        foreach ($result as $chunk) {
            hash_update($hash, $chunk);
        }
        return ['bytes' => $result->bytes, 'sha256' => hash_final($hash)];
    }
    if ($name === 'descargarCfdi') {
        return ['solicitud' => $result->solicitud] + readAll($result->archivo);
    }
    return $result;
}

while (($line = fgets(STDIN)) !== false) {
    try {
        say(['resultado' => resultOf(json_decode($line, true, 512, JSON_THROW_ON_ERROR))]);
    } catch (AcuseError $error) {
        say(['error' => [
            ...['clase' => 'AcuseError', 'nombre' => $error->nombre, 'codigo' => $error->codigo, 'http' => $error->http],
            ...['mensaje' => $error->getMessage(), 'datos' => (object) $error->datos, 'requestId' => $error->requestId],
            'reintentarEn' => $error->reintentarEn(),
        ]]);
    } catch (InvalidArgumentException | RuntimeException $error) {
        say(['error' => ['clase' => $error::class, 'mensaje' => $error->getMessage()]]);
    }
}
