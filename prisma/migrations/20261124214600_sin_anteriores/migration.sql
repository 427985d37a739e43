-- No version calls them: tramo_pide accepts readings through solicitud_acepta, and supuesto_adverso takes the file too.
DROP FUNCTION IF EXISTS sincronizacion_pide, supuesto_adverso(text);
